// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes tiles=true},func.func(convoy-layout-choose-layouts))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=DOT
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16 dot=bytes tiles=true},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=DOT

// DOT-NOT: #kernel.conv_tiles

// Layers with many channels use tiles, in the layout of the dot-product template.
// CHECK-LABEL: func @many_channels
// CHECK: #kernel.dot_weights<o = 16, i = 64, transposed = false, offset = 0>
// CHECK: config = #kernel.conv_tiles<block = 16,
// DOT-LABEL: func @many_channels
// DOT: config = #kernel.conv_dot<
func.func @many_channels(%x: tensor<1x256x14x14xui8>) -> tensor<1x256x14x14xi32> {
  %w = graph.constant dense<5> : tensor<256x256x3x3xi8>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x256x14x14xui8>, %b: tensor<256x256x3x3xi8>):
    %1 = graph.integer_conv %a, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<1x256x14x14xui8>, tensor<256x256x3x3xi8>) -> tensor<1x256x14x14xi32>
    graph.yield %1 : tensor<1x256x14x14xi32>
  } : (tensor<1x256x14x14xui8>, tensor<256x256x3x3xi8>) -> tensor<1x256x14x14xi32>
  return %0 : tensor<1x256x14x14xi32>
}

// A tile with three channels would be almost empty.
// CHECK-LABEL: func @rgb_stays_in_lanes
// CHECK: config = #kernel.conv_dot<
func.func @rgb_stays_in_lanes(%x: tensor<1x3x32x32xui8>) -> tensor<1x64x32x32xi32> {
  %w = graph.constant dense<5> : tensor<64x3x3x3xi8>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x3x32x32xui8>, %b: tensor<64x3x3x3xi8>):
    %1 = graph.integer_conv %a, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<1x3x32x32xui8>, tensor<64x3x3x3xi8>) -> tensor<1x64x32x32xi32>
    graph.yield %1 : tensor<1x64x32x32xi32>
  } : (tensor<1x3x32x32xui8>, tensor<64x3x3x3xi8>) -> tensor<1x64x32x32xi32>
  return %0 : tensor<1x64x32x32xi32>
}
