// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=4 rows=true})' | FileCheck %s

// The group is a residual block: %1 = window(%0), %2 = window(%1) + %0. The operand of the group is
// the input, which is in the arena and is overwritten while it is consumed: row i of %2 is written
// while the sum reads row i of the input, so the output starts one row of 16 bytes before the input.
// %1 is a ring of 3 rows. The scratch memory of the second run is beside all of them.
// CHECK: memory.arena_bytes = 212
// CHECK-LABEL: func.func @main
// CHECK-SAME: memory.offset = 84 : i64, memory.role = "input"
// CHECK-SAME: memory.offset = 68 : i64, memory.role = "output"
// CHECK: task.call @window({{.*}}) {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>, rings = array<i64: 0, 3, 0, 0>}
// CHECK: task.call @sum({{.*}}) {pace = #task.pace<group = 0, stride = 1, lag = 1, descending = false>, rings = array<i64: 3, 0, 0, 0, 0, 0>}
func.func @main(%0: tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {task.in_arena})
    -> (tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {task.in_arena}) {
  %1 = task.run @window(%0) {row_group = 0 : i64} : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %2 = task.run @sum(%1, %0) {row_group = 0 : i64} : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>, tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %2 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @window(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}
task.kernel @sum(%x: memref<128xi8>, %z: memref<128xi8>, %y: memref<128xi8>, %scratch: memref<16xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64, scratch = 16 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>, array<i64: 1, 1, 0>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %t = task.row_view %z[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}

// -----

// A run that reads all rows of an earlier result of its group cannot run row by row: the group runs
// layer by layer, and all of its tensors are live at the same time.
// CHECK: memory.arena_bytes = 388
// CHECK-NOT: pace =
// CHECK-NOT: rings =
func.func @main(%x: tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {
  %0 = task.run @whole(%x) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %1 = task.run @whole(%0) {row_group = 0 : i64} : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %2 = task.run @whole(%1) {row_group = 0 : i64} : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %3 = task.run @whole(%2) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %3 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @whole(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}
