// RUN: rm -rf %t && convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s < %t/net.c

// A byte op is a call of a function. The function and the functions that it needs are printed once,
// in the order of their needs.
// CHECK: #elif defined(__ARM_FEATURE_MVE)
// CHECK: #define CONVOY_INLINE
// CHECK-NOT: BEGIN
// CHECK: CONVOY_INLINE void convoy_byte_fill(uint8_t *to, ptrdiff_t count, int32_t value) {
// CHECK-NOT: void convoy_byte_fill(
// CHECK: typedef struct {
// CHECK-NEXT: int32_t zero, low, high, rounding;
// CHECK-NEXT: } convoy_byte_range;
// CHECK: CONVOY_INLINE uint8_t convoy_byte_rescale(
// CHECK-NOT: convoy_byte_sums
// CHECK: CONVOY_INLINE void convoy_byte_add(
// CHECK-NOT: convoy_byte_product
module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// The memory that the op writes is not const.
// CHECK: CONVOY_KERNEL void net_fill(uint8_t *restrict y0, ptrdiff_t begin, ptrdiff_t end) {
task.kernel @fill(%y: memref<32xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read_write>],
                range = 2 : i64, tensors = () -> tensor<32xi8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // CHECK: convoy_byte_fill(y0, 16, -128);
  kernel.byte_fill %y[%c0], %c16 {value = -128 : i64} : memref<32xi8>
  scf.for %i = %begin to %end step %c1 {
    %at = arith.muli %i, %c16 : index
    // CHECK: convoy_byte_fill(y0 + (i0 * 16), end - begin, 3);
    %count = arith.subi %end, %begin : index
    kernel.byte_fill %y[%at], %count {value = 3 : i64} : memref<32xi8>
  }
  task.return
}

// Operands come first, each address with its offset, then the numbers in the order of the op.
// CHECK: CONVOY_KERNEL void net_sum(const uint8_t *restrict x0, const uint8_t *restrict x1,
// CHECK-NEXT: uint8_t *restrict y0, ptrdiff_t begin, ptrdiff_t end) {
// CHECK: convoy_byte_add(x0, x1 + begin, y0 + 2, end, 7, 8, -9, 10, 11, -12, 13, 1);
task.kernel @sum(%a: memref<32xi8>, %b: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read>, #task.access<read_write>],
                range = 2 : i64, tensors = (tensor<32xi8>, tensor<32xi8>) -> tensor<32xi8>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  kernel.byte_add %a[%c0], %b[%begin] to %y[%c2], %end {lhsMultiplier = 7 : i64, rhsMultiplier = 8 : i64, start = -9 : i64, shift = 10 : i64, zeroPoint = 11 : i64, low = -12 : i64, high = 13 : i64, rounding = 1 : i64}
      : memref<32xi8>, memref<32xi8>, memref<32xi8>
  task.return
}

func.func @main(%y: memref<32xi8> {memory.role = "output"}, %arena: memref<0xi8>, %weights: memref<0xi8>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  task.call @fill(%y, %c0, %c2) : memref<32xi8>, index, index
  return
}
}
