// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=FAST
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts{weight-limit=270}))' | FileCheck %s --check-prefix=SOME
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts{weight-limit=110}))' | FileCheck %s --check-prefix=FEW
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=1024 vector-registers=4 fma-ports=1 scalar-operands=true},func.func(convoy-layout-choose-layouts{weight-limit=50}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// Transformed weights of Winograd's algorithm are 4 times as large with tiles of 4 x 4, and 1.8 times as
// large with tiles of 2 x 2. With a limit, the first layer takes smaller tiles before a layer takes
// direct convolution. The second layer has smaller tiles without a limit too.
// FAST-LABEL: func @two_layers
// FAST: config = #kernel.winograd_pixels<{{.*}}tile = 4,
// FAST: config = #kernel.winograd_pixels<{{.*}}tile = 2,
// SOME-LABEL: func @two_layers
// SOME: config = #kernel.winograd_pixels<{{.*}}tile = 2,
// SOME: config = #kernel.winograd_pixels<{{.*}}tile = 2,
// FEW-LABEL: func @two_layers
// FEW: config = #kernel.conv_pixels<
// FEW: config = #kernel.conv_pixels<
// ERROR: error: the smallest packed weights take {{[0-9]+}} % of the bytes of the stored weights, but the limit is 50 %; raise the limit to {{[0-9]+}} or more
func.func @two_layers(%x: tensor<1x64x56x56xf32>, %z: tensor<1x64x28x28xf32>) -> (tensor<1x64x56x56xf32>, tensor<1x64x28x28xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<64x64x3x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<64x64x3x3xf32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
    graph.yield %4 : tensor<1x64x56x56xf32>
  } : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %1 = graph.kernel %z, %w1 {
  ^bb0(%a: tensor<1x64x28x28xf32>, %b: tensor<64x64x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
    graph.yield %4 : tensor<1x64x28x28xf32>
  } : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  return %0, %1 : tensor<1x64x56x56xf32>, tensor<1x64x28x28xf32>
}
