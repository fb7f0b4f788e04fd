// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},func.func(convoy-fusion-fuse-interleaves))' | FileCheck %s

// The phases of a transposed convolution with 32 channels: every block of 16 channels stays together.
// CHECK-LABEL: @blocks_of_channels_are_one_kernel
// CHECK: graph.kernel %arg0 {
// CHECK: graph.reshape
// CHECK-NEXT: graph.transpose
// CHECK: graph.reshape
// CHECK: graph.slice
// CHECK-NEXT: graph.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @blocks_of_channels_are_one_kernel(%x: tensor<1x64x9xf32>) -> tensor<1x32x16xf32> {
  %apart = graph.constant dense<[1, 1, 2, 32, 9]> : tensor<5xi64>
  %joined = graph.constant dense<[1, 32, 18]> : tensor<3xi64>
  %begin = graph.constant dense<1> : tensor<1xi64>
  %end = graph.constant dense<17> : tensor<1xi64>
  %axis = graph.constant dense<2> : tensor<1xi64>
  %0 = graph.reshape %x, %apart : (tensor<1x64x9xf32>, tensor<5xi64>) -> tensor<1x1x2x32x9xf32>
  %1 = graph.transpose %0 {perm = array<i64: 0, 1, 3, 4, 2>} : (tensor<1x1x2x32x9xf32>) -> tensor<1x1x32x9x2xf32>
  %2 = graph.reshape %1, %joined : (tensor<1x1x32x9x2xf32>, tensor<3xi64>) -> tensor<1x32x18xf32>
  %3 = graph.slice %2, %begin, %end, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x32x18xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x32x16xf32>
  return %3 : tensor<1x32x16xf32>
}

// -----

// Two groups of one channel alternate in the result, so a block of the result has channels of two blocks.
// CHECK-LABEL: @shuffled_channels_stay_outside
// CHECK-NOT: graph.kernel
func.func @shuffled_channels_stay_outside(%x: tensor<1x64x9xf32>) -> tensor<1x64x9xf32> {
  %apart = graph.constant dense<[1, 2, 32, 9]> : tensor<4xi64>
  %joined = graph.constant dense<[1, 64, 9]> : tensor<3xi64>
  %0 = graph.reshape %x, %apart : (tensor<1x64x9xf32>, tensor<4xi64>) -> tensor<1x2x32x9xf32>
  %1 = graph.transpose %0 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x32x9xf32>) -> tensor<1x32x2x9xf32>
  %2 = graph.reshape %1, %joined : (tensor<1x32x2x9xf32>, tensor<3xi64>) -> tensor<1x64x9xf32>
  return %2 : tensor<1x64x9xf32>
}

// -----

// Three channels do not fill a block.
// CHECK-LABEL: @few_channels_stay_outside
// CHECK-NOT: graph.kernel
func.func @few_channels_stay_outside(%x: tensor<1x6x9xf32>) -> tensor<1x3x18xf32> {
  %apart = graph.constant dense<[1, 2, 3, 9]> : tensor<4xi64>
  %joined = graph.constant dense<[1, 3, 18]> : tensor<3xi64>
  %0 = graph.reshape %x, %apart : (tensor<1x6x9xf32>, tensor<4xi64>) -> tensor<1x2x3x9xf32>
  %1 = graph.transpose %0 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x9xf32>) -> tensor<1x3x9x2xf32>
  %2 = graph.reshape %1, %joined : (tensor<1x3x9x2xf32>, tensor<3xi64>) -> tensor<1x3x18xf32>
  return %2 : tensor<1x3x18xf32>
}
