// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},convoy-kernels-lower-winograd-pixels)' | FileCheck %s

#weights = #kernel.winograd_weights<tile = 4, o = 3, panels = 1>

// 2 x 3 tiles of 4 x 4 are a vector of 16 lanes with a pitch of 4: both rows of tiles are one band,
// which is a task. The four output channels are a group of three and a group of one.
// CHECK-LABEL: @tiles_are_lanes
// CHECK-SAME: %[[X:.*]]: memref<240xf32>, %[[W:.*]]: memref<648xf32>, %[[Y:.*]]: memref<320xf32>, %[[S:.*]]: memref<{{[0-9]+}}xi8>, %[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECK-SAME: range = 1 : i64
// CHECK: scf.for %[[TASK:.*]] = %[[BEGIN]] to %[[END]]
// One load distributes a row to four planes.
// CHECK: vector.load %[[X]]
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: vector.shuffle {{.*}} [0, 4, 8, 12]
// CHECK: vector.shuffle {{.*}} [1, 5, 9, 13]
// CHECK: vector.shuffle {{.*}} [2, 6, 10, 14]
// CHECK: vector.shuffle {{.*}} [3, 7, 11, 15]
// Three sums stay in registers: each vector of tiles is multiplied by three weights.
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: memref.load %[[W]]
// CHECK: math.fma
// The code interleaves four results of each tile, so the epilogue runs on whole rows.
// CHECK: vector.shuffle {{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
// CHECK: arith.cmpf olt
// CHECK: vector.store {{.*}}, %[[Y]]
// CHECK: scf.for {{.*}} -> (vector<16xf32>) {
task.kernel @tiles_are_lanes(%x: tensor<1x3x8x10xf32>, %w: tensor<4x3x3x3xf32, #weights>)
    -> tensor<1x4x8x10xf32>
    attributes {config = #kernel.winograd_pixels<lanes = 16, tile = 4, channels = 3, rows = 2, parts = 1, unroll = 1>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x3x8x10xf32>, tensor<4x3x3x3xf32, #weights>) -> tensor<1x4x8x10xf32>
  %1 = graph.unary relu %0 : (tensor<1x4x8x10xf32>) -> tensor<1x4x8x10xf32>
  task.return %1 : tensor<1x4x8x10xf32>
}

// -----

#weights = #kernel.winograd_weights<tile = 4, o = 3, panels = 1>

// Four tasks share the band: a round for three input channels, one for two groups of 36 frequencies,
// one for four output channels. Each task has its own memory for copies, behind the shared one.
// CHECK-LABEL: @tasks_share_a_band
// CHECK-SAME: range = 12 : i64, rounds = 3 : i64
// CHECK: scf.for %[[TASK:.*]] =
// CHECK: %[[PART:.*]] = arith.remui %[[TASK]], %{{.*}}
// CHECK: %[[ROUND:.*]] = arith.divui %[[TASK]], %{{.*}}
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<240xf32>
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: scf.for {{.*}} -> (vector<16xf32>) {
// CHECK: scf.if
// CHECK: vector.shuffle {{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
// CHECK: vector.store {{.*}} : memref<320xf32>
task.kernel @tasks_share_a_band(%x: tensor<1x3x8x10xf32>, %w: tensor<4x3x3x3xf32, #weights>)
    -> tensor<1x4x8x10xf32>
    attributes {config = #kernel.winograd_pixels<lanes = 16, tile = 4, channels = 3, rows = 2, parts = 4, unroll = 1>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x3x8x10xf32>, tensor<4x3x3x3xf32, #weights>) -> tensor<1x4x8x10xf32>
  task.return %0 : tensor<1x4x8x10xf32>
}

// -----

#weights = #kernel.winograd_weights<tile = 2, o = 3, panels = 1>

// expected-error@+1 {{which does not fit the kernel: the kernel is not a 3 x 3 convolution at stride 1, or the tile size is not supported; this is a bug in convoy's layout stage}}
task.kernel @stride_two(%x: tensor<1x3x9x9xf32>, %w: tensor<3x3x3x3xf32, #weights>) -> tensor<1x3x4x4xf32>
    attributes {config = #kernel.winograd_pixels<lanes = 16, tile = 2, channels = 3, rows = 2, parts = 1, unroll = 1>} {
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x3x9x9xf32>, tensor<3x3x3x3xf32, #weights>) -> tensor<1x3x4x4xf32>
  task.return %0 : tensor<1x3x4x4xf32>
}
