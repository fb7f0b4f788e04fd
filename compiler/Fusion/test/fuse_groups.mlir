// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16},func.func(convoy-fusion-fuse-groups))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 vector-registers=16},func.func(convoy-fusion-fuse-groups{strict-math=true}))' | FileCheck %s --check-prefix=STRICT

// Winograd's algorithm supports one group. It saves more than the zeros between two groups add.
// CHECK-LABEL: @groups_join_for_winograd
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<128x128x3x3xf32>
// CHECK: graph.conv %arg0, %[[W]]
// CHECK-SAME: groups = 1 : i64
// STRICT-LABEL: @groups_join_for_winograd
// STRICT: groups = 2 : i64
func.func @groups_join_for_winograd(%x: tensor<1x128x28x28xf32>) -> tensor<1x128x28x28xf32> {
  %w = graph.constant dense<0.5> : tensor<128x64x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64}
      : (tensor<1x128x28x28xf32>, tensor<128x64x3x3xf32>) -> tensor<1x128x28x28xf32>
  return %0 : tensor<1x128x28x28xf32>
}

// conv_direct computes small groups as one. With a stride, Winograd's algorithm is no candidate.
// CHECK-LABEL: @small_groups_stay
// CHECK: groups = 4 : i64
func.func @small_groups_stay(%x: tensor<1x16x16x16xf32>) -> tensor<1x16x8x8xf32> {
  %w = graph.constant dense<0.5> : tensor<16x4x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i64}
      : (tensor<1x16x16x16xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x8x8xf32>
  return %0 : tensor<1x16x8x8xf32>
}

// A template supports depthwise convolutions and groups of whole vectors.
// CHECK-LABEL: @supported_groups_stay
// CHECK: groups = 16 : i64
// CHECK: groups = 2 : i64
func.func @supported_groups_stay(%x: tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32> {
  %w = graph.constant dense<0.5> : tensor<16x1x3x3xf32>
  %v = graph.constant dense<0.5> : tensor<16x8x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64}
      : (tensor<1x16x16x16xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x16x16xf32>
  %1 = graph.conv %0, %v {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64}
      : (tensor<1x16x16x16xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x16x16xf32>
  return %1 : tensor<1x16x16x16xf32>
}

// Two groups of two channels are one group with a planar input, which needs no reorder.
// CHECK-LABEL: @joined_weights_are_block_diagonal
// CHECK: graph.constant dense<
// CHECK-SAME{LITERAL}: [[[[1.000000e+00]], [[2.000000e+00]], [[0.000000e+00]], [[0.000000e+00]]],
// CHECK-SAME{LITERAL}:  [[[3.000000e+00]], [[4.000000e+00]], [[0.000000e+00]], [[0.000000e+00]]],
// CHECK-SAME{LITERAL}:  [[[0.000000e+00]], [[0.000000e+00]], [[5.000000e+00]], [[6.000000e+00]]],
// CHECK-SAME{LITERAL}:  [[[0.000000e+00]], [[0.000000e+00]], [[7.000000e+00]], [[8.000000e+00]]]]> : tensor<4x4x1x1xf32>
// CHECK: graph.conv
// CHECK-SAME: groups = 1 : i64
// STRICT-LABEL: @joined_weights_are_block_diagonal
// STRICT: groups = 2 : i64
func.func @joined_weights_are_block_diagonal(%x: tensor<1x4x64x64xf32>) -> tensor<1x4x64x64xf32> {
  %w = graph.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]]> : tensor<4x2x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64}
      : (tensor<1x4x64x64xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x64x64xf32>
  return %0 : tensor<1x4x64x64xf32>
}
