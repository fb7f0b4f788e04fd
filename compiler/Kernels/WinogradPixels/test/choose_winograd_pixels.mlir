// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts))' | FileCheck %s

// 64 channels fill a quarter of 256 lanes; 196 tiles of 4 x 4 fill most of them. Lanes therefore
// run along tiles, and all tiles are one band. Three accumulators and the tiles take the four
// registers.
// CHECK-LABEL: func @few_channels_take_tiles
// CHECK: tensor<64x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 3, panels = 1>>
// CHECK: #kernel.winograd_pixels<lanes = 256, tile = 4, channels = 3, rows = 14, parts = 56, unroll = 8>
// CHECK-NOT: graph.reorder
// CHECK: return
func.func @few_channels_take_tiles(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
    graph.yield %1 : tensor<1x64x56x56xf32>
  } : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// 49 tiles of 4 x 4 would leave most lanes empty; 196 tiles of 2 x 2 do not.
// CHECK-LABEL: func @small_map_takes_small_tiles
// CHECK: #kernel.winograd_pixels<lanes = 256, tile = 2,
func.func @small_map_takes_small_tiles(%x: tensor<1x64x28x28xf32>) -> tensor<1x64x28x28xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x64x28x28xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
    graph.yield %1 : tensor<1x64x28x28xf32>
  } : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  return %0 : tensor<1x64x28x28xf32>
}

// Few channels and few pixels: transforms would dominate the run time.
// CHECK-LABEL: func @three_channels_stay_direct
// CHECK: #kernel.conv_pixels<
func.func @three_channels_stay_direct(%x: tensor<1x3x28x28xf32>) -> tensor<1x3x28x28xf32> {
  %w = graph.constant dense<0.5> : tensor<3x3x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x3x28x28xf32>, %b: tensor<3x3x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x28x28xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x28x28xf32>
    graph.yield %1 : tensor<1x3x28x28xf32>
  } : (tensor<1x3x28x28xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x28x28xf32>
  return %0 : tensor<1x3x28x28xf32>
}

// 256 channels fill the vector: lanes run along channels, and each group of three tiles is a task.
// CHECK-LABEL: func @many_channels_take_blocks
// CHECK-COUNT-2: #kernel.winograd<block = 256, tile = 4, vectors = 1, pixels = 3, groups = 1, panels = 1, depth = 256, unroll = 8>
func.func @many_channels_take_blocks(%x: tensor<1x256x14x14xf32>) -> tensor<1x256x14x14xf32> {
  %w = graph.constant dense<0.5> : tensor<256x256x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x256x14x14xf32>, %b: tensor<256x256x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
    graph.yield %2 : tensor<1x256x14x14xf32>
  } : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  %1 = graph.kernel %0, %w {
  ^bb0(%a: tensor<1x256x14x14xf32>, %b: tensor<256x256x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
    graph.yield %2 : tensor<1x256x14x14xf32>
  } : (tensor<1x256x14x14xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x14x14xf32>
  return %1 : tensor<1x256x14x14xf32>
}
