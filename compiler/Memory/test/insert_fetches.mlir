// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-insert-fetches)' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-insert-fetches,convoy-memory-choose-row-groups{alignment=4},convoy-memory-plan-arena{alignment=4 rows=true})' | FileCheck %s --check-prefix=PLAN

// The reader reaches the input by rows, so the input has its rows. The run that fetches them is
// before the first reader.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {graph.name = "image", memory.input_rows = 8 : i64}
// CHECK: %[[ROWS:.*]] = task.run @fetch_0(%[[X]])
// CHECK: task.run @window(%[[ROWS]])
// CHECK: task.kernel @fetch_0(%[[S:.*]]: memref<128xi8>, %[[Y:.*]]: memref<128xi8>, %[[STATUS:.*]]: memref<1xi32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK-SAME: may_fail, range = 8 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64>]>
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN]] to %[[END]]
// CHECK-NEXT: %[[VIEW:.*]] = task.row_view %[[Y]][%[[ROW]]] rows 8
// CHECK-NEXT: task.fetch_row %[[S]][%[[ROW]]] to %[[VIEW]] status %[[STATUS]]

// The fetched rows are a ring of 3 rows of 16 bytes beside the result of 32 bytes; the status cell has
// 4 bytes.
// PLAN: memory.arena_bytes = 84
// PLAN-LABEL: func.func @main
// PLAN-SAME: memory.input_rows = 8 : i64, memory.role = "input"
// PLAN: task.call @fetch_0(%arg0, {{.*}}) {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>, rings = array<i64: 0, 3, 0, 0, 0>}
// PLAN: task.call @window({{.*}}) {pace = #task.pace<group = 0, stride = 2, lag = 1, descending = false>, rings = array<i64: 3, 0, 0, 0>}
func.func @main(%x: tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {graph.name = "image", task.by_rows})
    -> (tensor<1x2x4x4xi8, #graph.blocked<c = 2>> {task.in_arena}) {
  %1 = task.run @window(%x) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x4x4xi8, #graph.blocked<c = 2>>
  return %1 : tensor<1x2x4x4xi8, #graph.blocked<c = 2>>
}
task.kernel @window(%x: memref<128xi8>, %y: memref<32xi8>, %begin: index, %end: index)
    attributes {range = 4 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4], reads = [array<i64: 3, 2, 1>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  task.return
}

// -----

// The second reader reads any part of the input, so the whole input is one row.
// CHECK-LABEL: func.func @main
// CHECK-SAME: memory.input_rows = 1 : i64
// CHECK: task.kernel @fetch_0
// CHECK-SAME: range = 1 : i64
// PLAN-LABEL: func.func @main
// PLAN-NOT: rings =
func.func @main(%x: tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {task.by_rows})
    -> (tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {task.in_arena}) {
  %1 = task.run @window(%x) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %2 = task.run @whole(%x, %1) : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>, tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %2 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @window(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}
task.kernel @whole(%x: memref<128xi8>, %z: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}

// -----

// Without a reader there is no run.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %{{.*}}: tensor<4xi8> {memory.input_rows = 1 : i64}
// CHECK-NOT: fetch
// PLAN-LABEL: func.func @main
func.func @main(%x: tensor<4xi8> {task.by_rows}, %y: tensor<4xi8>) -> tensor<4xi8> {
  return %y : tensor<4xi8>
}
