// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=SHORT

// 64 channels fill a quarter of 256 lanes. Lanes therefore run along pixels, four rows of 58 at a
// time with their padding, and nothing is reordered. Three accumulators and the pixels take the
// four registers.
// CHECK-LABEL: func @few_channels_take_pixels
// CHECK: #kernel.conv_pixels<lanes = 256, channels = 3, rows = 8, unroll = 1>
// CHECK-NOT: graph.reorder
// CHECK: return
// SHORT-LABEL: func @few_channels_take_pixels
// SHORT-NOT: conv_pixels
func.func @few_channels_take_pixels(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
    graph.yield %1 : tensor<1x64x56x56xf32>
  } : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// If each output pixel reads only the input pixel at the same place, all rows are one row and
// nothing is copied.
// CHECK-LABEL: func @pointwise_is_in_place
// CHECK: #kernel.conv_pixels<lanes = 256, channels = 3, rows = 0, unroll = 8>
func.func @pointwise_is_in_place(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = graph.constant dense<0.5> : tensor<64x64x1x1xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x1x1xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32>
    graph.yield %1 : tensor<1x64x56x56xf32>
  } : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// 49 pixels do not fill a vector, but 512 channels do: the block is the vector of the target. A
// tile has three pixels, because broadcasting a pixel needs no register.
// CHECK-LABEL: func @many_channels_take_blocks
// CHECK-COUNT-2: #kernel.conv_direct<block = 256, vectors = 1, pixels = 3, depth = 512,
func.func @many_channels_take_blocks(%x: tensor<1x512x7x7xf32>) -> tensor<1x512x7x7xf32> {
  %w = graph.constant dense<0.5> : tensor<512x512x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x512x7x7xf32>, %b: tensor<512x512x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
    graph.yield %2 : tensor<1x512x7x7xf32>
  } : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
  %1 = graph.kernel %0, %w {
  ^bb0(%a: tensor<1x512x7x7xf32>, %b: tensor<512x512x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
    graph.yield %2 : tensor<1x512x7x7xf32>
  } : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
  return %1 : tensor<1x512x7x7xf32>
}
