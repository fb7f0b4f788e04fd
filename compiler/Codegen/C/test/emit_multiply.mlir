// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t})' -o /dev/null
// RUN: FileCheck %s < %t/net.c
// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s --check-prefix=PLAIN < %t/net.c

// A multiply op is a macro with a body for each instruction set. With loops over lanes, it is a
// function on one lane.
// CHECK: #include <immintrin.h>
// CHECK: #elif defined(__AVX512VNNI__)
// CHECK-NEXT: #define CONVOY_DOT_US_16(sums, x, w)
// CHECK: #define CONVOY_DOT_WORDS_16(sums, x, w)
// PLAIN-NOT: immintrin.h
// PLAIN: static inline uint32_t convoy_dot_us_u32(uint32_t sum, uint32_t x, uint32_t w) {
// PLAIN: static inline uint32_t convoy_dot_words_u32(uint32_t sum, uint32_t x, uint32_t w) {
module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// CHECK: CONVOY_KERNEL void net_dot(
// PLAIN: CONVOY_KERNEL void net_dot(
task.kernel @dot(%x: memref<64xi8>, %w: memref<64xi8>, %y: memref<64xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read>, #task.access<read_write>],
                range = 2 : i64, tensors = (tensor<64xi8>, tensor<64xi8>) -> tensor<64xi8>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : vector<16xi32>
  // The bits of four bytes are one scalar, which is printed as such and not as a vector.
  // CHECK: const u8x4 [[C:.*]] = *(const u8x4_memory *)(x0);
  // CHECK-NEXT: uint32_t [[U:.*]];
  // CHECK-NEXT: memcpy(&[[U]], &[[C]], sizeof [[U]]);
  %four = vector.load %x[%c0] : memref<64xi8>, vector<4xi8>
  %one = vector.bitcast %four : vector<4xi8> to vector<1xi32>
  %lane = vector.extract %one[0] : i32 from vector<1xi32>
  %spread = vector.broadcast %lane : i32 to vector<16xi32>
  // CHECK: = (u32x16){{.*}};
  // PLAIN: memcpy(
  %bytes = vector.load %w[%c0] : memref<64xi8>, vector<64xi8>
  %weights = vector.bitcast %bytes : vector<64xi8> to vector<16xi32>
  // CHECK: CONVOY_DOT_US_16(U32X16(0u), U32X16({{.*}}),
  // PLAIN: convoy_dot_us_u32(0u,
  %sums = kernel.dot_bytes bytes us %zero, %spread, %weights : vector<16xi32>
  // CHECK: CONVOY_DOT_WORDS_16(
  // PLAIN: convoy_dot_words_u32(
  %both = kernel.dot_words bytes %sums, %spread, %weights : vector<16xi32>
  // CHECK: uint32_t [[S:.*]] = 0;
  // CHECK-NEXT: for (ptrdiff_t l = 0; l < 16; ++l) {
  // CHECK-NEXT: [[S]] += {{.*}}[l];
  %sum = vector.reduction <add>, %both : vector<16xi32> into i32
  // CHECK: memcpy(
  %single = vector.broadcast %sum : i32 to vector<1xi32>
  %parts = vector.bitcast %single : vector<1xi32> to vector<4xi8>
  vector.store %parts, %y[%c0] : memref<64xi8>, vector<4xi8>
  task.return
}

func.func @main(%y: memref<64xi8> {memory.role = "output"}, %arena: memref<0xi8>, %weights: memref<0xi8>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  task.call @dot(%y, %y, %y, %c0, %c2) : memref<64xi8>, memref<64xi8>, memref<64xi8>, index, index
  return
}
}
