// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=STRICT

// STRICT-NOT: #kernel.winograd

// Many tiles: a tile of 4 x 4 results needs the fewest multiplications.
// CHECK-LABEL: func @large_map
// CHECK: tensor<64x64x3x3xf32, #kernel.winograd_weights<tile = 4,
// CHECK: config = #kernel.winograd<block = 16, tile = 4,
func.func @large_map(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
    graph.yield %1 : tensor<1x64x56x56xf32>
  } : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// 16 tiles of 4 x 4 would be bound by loading 36 planes of weights; 49 tiles of 2 x 2 load only 16
// planes.
// CHECK-LABEL: func @small_map
// CHECK: config = #kernel.winograd<block = 16, tile = 2,
func.func @small_map(%x: tensor<1x256x14x14xf32>) -> tensor<1x256x14x14xf32> {
  %w = graph.constant dense<0.5> : tensor<256x256x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x256x14x14xf32>, %b: tensor<256x256x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
    graph.yield %1 : tensor<1x256x14x14xf32>
  } : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  return %0 : tensor<1x256x14x14xf32>
}

// Too few tiles of either size, and a stride that Winograd does not support.
// CHECK-LABEL: func @tiny_map
// CHECK: config = #kernel.conv_direct<
// CHECK: config = #kernel.conv_direct<
// CHECK: return
func.func @tiny_map(%x: tensor<1x512x7x7xf32>) -> tensor<1x512x4x4xf32> {
  %w = graph.constant dense<0.5> : tensor<512x512x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x512x7x7xf32>, %b: tensor<512x512x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
    graph.yield %2 : tensor<1x512x7x7xf32>
  } : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
  %1 = graph.kernel %0, %w {
  ^bb0(%a: tensor<1x512x7x7xf32>, %b: tensor<512x512x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x4x4xf32>
    graph.yield %2 : tensor<1x512x4x4xf32>
  } : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x4x4xf32>
  return %1 : tensor<1x512x4x4xf32>
}
