// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},convoy-kernels-lower-depthwise)' | FileCheck %s

#blocked = #graph.blocked<c = 8>
#weights = #kernel.conv_weights<o = 8, i = 1, transposed = false>

// Two strips of five pixels. Each row of taps loads its three weights and five of its six columns:
// the column outside the input has no load and no multiplications. 12 channel blocks are 12 tasks.
// CHECK-LABEL: @edges_lack_columns
// CHECK-SAME: range = 12 : i64
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-3: vector.load %arg1
// CHECK-COUNT-6: vector.load %arg0
// CHECK-NOT: vector.load
// CHECK: vector.store
// CHECK-COUNT-3: vector.load %arg1
// CHECK-COUNT-6: vector.load %arg0
// CHECK-NOT: vector.load
// CHECK: vector.store
// CHECK: return
task.kernel @edges_lack_columns(%x: tensor<1x96x10x10xf32, #blocked>, %w: tensor<96x1x3x3xf32, #weights>)
    -> tensor<1x96x10x10xf32, #blocked>
    attributes {config = #kernel.depthwise<block = 8, pixels = 5, held = 1, rows = 10>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 96 : i64}
      : (tensor<1x96x10x10xf32, #blocked>, tensor<96x1x3x3xf32, #weights>) -> tensor<1x96x10x10xf32, #blocked>
  task.return %0 : tensor<1x96x10x10xf32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 8>
#weights = #kernel.conv_weights<o = 8, i = 1, transposed = false>

// Rows with all their taps inside the input keep all weights in registers; the other rows loop over
// rows of taps. Both apply the epilogue before the store.
// CHECK-LABEL: @inside_rows_hold_all_weights
// CHECK: scf.if
// CHECK-COUNT-9: vector.load %arg1
// CHECK-NOT: vector.load %arg1
// CHECK: vector.load %arg0
// CHECK: arith.select
// CHECK: vector.store
// CHECK: } else {
// CHECK: scf.for
// CHECK-COUNT-3: vector.load %arg1
// CHECK-NOT: vector.load %arg1
// CHECK: arith.select
// CHECK: vector.store
task.kernel @inside_rows_hold_all_weights(%x: tensor<1x8x9x4xf32, #blocked>, %w: tensor<8x1x3x3xf32, #weights>)
    -> tensor<1x8x9x4xf32, #blocked>
    attributes {config = #kernel.depthwise<block = 8, pixels = 4, held = 3, rows = 2>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64}
      : (tensor<1x8x9x4xf32, #blocked>, tensor<8x1x3x3xf32, #weights>) -> tensor<1x8x9x4xf32, #blocked>
  %1 = graph.unary relu %0 : (tensor<1x8x9x4xf32, #blocked>) -> tensor<1x8x9x4xf32, #blocked>
  task.return %1 : tensor<1x8x9x4xf32, #blocked>
}
