// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t})' -o /dev/null
// RUN: FileCheck %s < %t/net.c
// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s --check-prefix=PLAIN < %t/net.c

// The conversion of a vector of f16 is a macro with a body for each instruction set. With loops over
// lanes, it is a function on one lane.
// CHECK: #define CONVOY_WIDEN_HALVES_16(x) ((f32x16)_mm512_cvtph_ps(
// PLAIN-NOT: CONVOY_WIDEN_HALVES
// PLAIN: static inline float convoy_from_f16(uint16_t half) {
module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// CHECK: CONVOY_KERNEL void net_widen(
// PLAIN: CONVOY_KERNEL void net_widen(
task.kernel @widen(%x: memref<16xf16>, %y: memref<16xf32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 1 : i64, tensors = (tensor<16xf16>) -> tensor<16xf32>} {
  %c0 = arith.constant 0 : index
  %halves = vector.load %x[%c0] : memref<16xf16>, vector<16xf16>
  // CHECK: CONVOY_WIDEN_HALVES_16(
  // PLAIN: convoy_from_f16(
  %floats = arith.extf %halves : vector<16xf16> to vector<16xf32>
  vector.store %floats, %y[%c0] : memref<16xf32>, vector<16xf32>
  task.return
}

func.func @main(%x: memref<16xf16> {memory.role = "input"}, %y: memref<16xf32> {memory.role = "output"}, %arena: memref<0xi8>, %weights: memref<0xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  task.call @widen(%x, %y, %c0, %c1) : memref<16xf16>, memref<16xf32>, index, index
  return
}
}
