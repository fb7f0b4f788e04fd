// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts{strict-math=true},convoy-layout-check-layouts))' | FileCheck %s

// 128 channels fill half of a long vector. The second convolution has its lanes along pixels, although
// its operand is reordered: the reorder costs less than the unused lanes.
// CHECK-LABEL: func @few_channels
// CHECK: graph.conv
// CHECK: config = #kernel.conv_direct<block = 256,
// CHECK: graph.reorder
// CHECK: graph.conv
// CHECK: config = #kernel.conv_pixels<
// CHECK: graph.conv
// CHECK: config = #kernel.conv_direct<block = 256,
func.func @few_channels(%x: tensor<1x256x28x28xf32>) -> tensor<1x512x1x1xf32> {
  %w0 = graph.constant dense<0.5> : tensor<512x256x1x1xf32>
  %w1 = graph.constant dense<0.25> : tensor<128x512x1x1xf32>
  %w2 = graph.constant dense<0.25> : tensor<512x128x1x1xf32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x256x28x28xf32>, %b: tensor<512x256x1x1xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x256x28x28xf32>, tensor<512x256x1x1xf32>) -> tensor<1x512x28x28xf32>
    graph.yield %4 : tensor<1x512x28x28xf32>
  } : (tensor<1x256x28x28xf32>, tensor<512x256x1x1xf32>) -> tensor<1x512x28x28xf32>
  %1 = graph.kernel %0, %w1 {
  ^bb0(%a: tensor<1x512x28x28xf32>, %b: tensor<128x512x1x1xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x512x28x28xf32>, tensor<128x512x1x1xf32>) -> tensor<1x128x28x28xf32>
    graph.yield %4 : tensor<1x128x28x28xf32>
  } : (tensor<1x512x28x28xf32>, tensor<128x512x1x1xf32>) -> tensor<1x128x28x28xf32>
  %2 = graph.kernel %1, %w2 {
  ^bb0(%a: tensor<1x128x28x28xf32>, %b: tensor<512x128x1x1xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x128x28x28xf32>, tensor<512x128x1x1xf32>) -> tensor<1x512x28x28xf32>
    graph.yield %4 : tensor<1x512x28x28xf32>
  } : (tensor<1x128x28x28xf32>, tensor<512x128x1x1xf32>) -> tensor<1x512x28x28xf32>
  %3 = graph.kernel %2 {
  ^bb0(%a: tensor<1x512x28x28xf32>):
    %axes = graph.constant dense<[2, 3]> : tensor<2xi64>
    %4 = graph.reduce mean %a over %axes {keepDims = true} : (tensor<1x512x28x28xf32>, tensor<2xi64>) -> tensor<1x512x1x1xf32>
    graph.yield %4 : tensor<1x512x1x1xf32>
  } : (tensor<1x512x28x28xf32>) -> tensor<1x512x1x1xf32>
  return %3 : tensor<1x512x1x1xf32>
}
