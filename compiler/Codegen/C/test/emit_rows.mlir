// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-lower-row-views,any(canonicalize,cse),convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s < %t/net.c

module attributes {memory.arena_bytes = 128 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// A row is a pointer. The operand is only read, so its rows are const. The third argument is the
// number of rows in the ring of the operand, because calls have rings of different sizes.
// CHECK: CONVOY_KERNEL void net_rows_0(const uint8_t *restrict x0, uint8_t *restrict y0, ptrdiff_t s0,
// CHECK: for (ptrdiff_t i0 = begin; i0 < end; ++i0) {
// CHECK-NEXT: const uint8_t *const [[IN:r[0-9]+]] = x0 + (((ptrdiff_t)((size_t)i0 % (size_t)s0)) * 8);
// CHECK-NEXT: uint8_t *const [[OUT:r[0-9]+]] = y0 + (i0 * 8);
// CHECK-NEXT: const uint8_t [[V:[a-z][0-9]+]] = [[IN]][3];
// CHECK-NEXT: [[OUT]][3] = [[V]];
// A constant row has a constant offset.
// CHECK: uint8_t *const [[THIRD:r[0-9]+]] = y0 + 16;
// CHECK-NEXT: [[THIRD]][3] = 0u;
// CHECK-NOT: memref
task.kernel @rows_0(%x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 4 : i64, tensors = (tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xi8>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %begin to %end step %c1 {
    %r = task.row_view %x[%i] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
    %s = task.row_view %y[%i] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
    %v = memref.load %r[%c3] : memref<8xi8, strided<[1], offset: ?>>
    memref.store %v, %s[%c3] : memref<8xi8, strided<[1], offset: ?>>
  }
  %t = task.row_view %y[%c2] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  %zero = arith.constant 0 : i8
  memref.store %zero, %t[%c3] : memref<8xi8, strided<[1], offset: ?>>
  task.return
}

// CHECK: net_rows_0({{.*}}, 3, 0, 4);
// CHECK: net_rows_0({{.*}}, 4, 0, 4);
func.func @main(%x: memref<32xi8> {memory.role = "input"}, %y: memref<32xi8> {memory.role = "output"},
                %arena: memref<128xi8> {memory.role = "arena"}, %weights: memref<0xi8> {memory.role = "weights"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %ok = arith.constant 0 : i32
  task.call @rows_0(%x, %y, %c0, %c4) {rings = array<i64: 3, 0, 0, 0>} : memref<32xi8>, memref<32xi8>, index, index
  task.call @rows_0(%x, %y, %c0, %c4) : memref<32xi8>, memref<32xi8>, index, index
  return %ok : i32
}
}
