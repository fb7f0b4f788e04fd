// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-choose-row-groups{alignment=4})' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-choose-row-groups{alignment=4},convoy-memory-plan-arena{alignment=4 rows=true})' | FileCheck %s --check-prefix=PLAN
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=4})' | FileCheck %s --check-prefix=PLAIN

// The wide tensor of 8 x 64 bytes lies between two runs that read and write 8 x 16 bytes. Row by
// row, it is a ring of 3 rows. The result overwrites the consumed rows of the operand.
// CHECK-LABEL: func.func @main
// CHECK: task.run @loads(%{{.*}}) :
// CHECK: task.run @widen(%{{.*}}) {row_group = 0 : i64}
// CHECK: task.run @window(%{{.*}}) {row_group = 0 : i64}
// PLAN: memory.arena_bytes = 324
// PLAN-LABEL: func.func @main
// PLAN: task.call @widen({{.*}}) {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>, rings = array<i64: 0, 3, 0, 0>}
// PLAN: task.call @window({{.*}}) {pace = #task.pace<group = 0, stride = 1, lag = 1, descending = false>, rings = array<i64: 3, 0, 0, 0>}
// PLAIN: memory.arena_bytes = 644
func.func @main(%x: tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {
  %0 = task.run @loads(%x) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %1 = task.run @widen(%0) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x8x8x8xi8, #graph.blocked<c = 8>>
  %2 = task.run @window(%1) : (tensor<1x8x8x8xi8, #graph.blocked<c = 8>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %3 = task.run @loads(%2) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %3 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @loads(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64} {
  task.return
}
task.kernel @widen(%x: memref<128xi8>, %y: memref<512xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 1, 1, 0>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<512xi8> -> memref<64xi8, strided<[1], offset: ?>>
  task.return
}
task.kernel @window(%x: memref<512xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<512xi8> -> memref<64xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}

// -----

// A kernel that reads its operand other than through views of rows is in no group, and its result
// lies beside its operand.
// CHECK-LABEL: func.func @main
// CHECK-NOT: row_group =
// PLAN: memory.arena_bytes = 260
// PLAIN: memory.arena_bytes = 260
func.func @main(%x: tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {
  %0 = task.run @loads(%x) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %1 = task.run @loads(%0) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %2 = task.run @loads(%1) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %2 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @loads(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 1, 1, 0>]>} {
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %v = memref.load %x[%begin] : memref<128xi8>
  task.return
}

// -----

// A run alone also overwrites consumed rows: the result starts one row before its operand. Every
// second run starts with the last row, so that the results do not move through the memory.
// CHECK-LABEL: func.func @main
// CHECK: task.run @loads(%{{.*}}) :
// CHECK: task.run @copy(%{{.*}}) {descending, row_group = 0 : i64} :
// CHECK: task.run @copy(%{{.*}}) :
// PLAN: memory.arena_bytes = 148
// PLAN: task.kernel @copy({{.*}}overlaps = array<i64: 0, 1>
// PLAIN: memory.arena_bytes = 260
func.func @main(%x: tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {
  %0 = task.run @loads(%x) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %1 = task.run @copy(%0) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %2 = task.run @copy(%1) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %3 = task.run @loads(%2) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %3 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @copy(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 1, 1, 0>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}
task.kernel @loads(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64} {
  task.return
}
