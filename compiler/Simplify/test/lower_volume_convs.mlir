// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-lower-volume-convs))' | FileCheck %s

// The depth taps are input channels. The pads select the images of a tap.
// CHECK-LABEL: @taps_are_input_channels
// CHECK: %[[T:.*]] = graph.transpose %arg0 {perm = array<i64: 2, 0, 1, 3, 4>}
// CHECK: %[[X:.*]] = graph.reshape %[[T]], {{.*}} -> tensor<4x1x6x6xf32>
// CHECK: %[[P0:.*]] = graph.constant dense<[1, 0, 0, 0, -1, 0, 0, 0]> : tensor<8xi64>
// CHECK: %[[A:.*]] = graph.pad %[[X]], %[[P0]]
// CHECK: %[[P2:.*]] = graph.constant dense<[-1, 0, 0, 0, 1, 0, 0, 0]> : tensor<8xi64>
// CHECK: %[[C:.*]] = graph.pad %[[X]], %[[P2]]
// CHECK: %[[K:.*]] = graph.concat %[[A]], %[[X]], %[[C]] {axis = 1 : i64} : {{.*}} -> tensor<4x3x6x6xf32>
// CHECK: %[[W:.*]] = graph.constant dense<{{.*}}> : tensor<2x3x1x1xf32>
// CHECK: %[[Y:.*]] = graph.conv %[[K]], %[[W]] {{.*}}-> tensor<4x2x6x6xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 1, 2, 0, 3, 4>} : {{.*}} -> tensor<1x2x4x6x6xf32>
func.func @taps_are_input_channels(%x: tensor<1x1x4x6x6xf32>) -> tensor<1x2x4x6x6xf32> {
  %w = graph.constant dense<1.0> : tensor<2x1x3x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 0, 0, 1, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x1x4x6x6xf32>, tensor<2x1x3x1x1xf32>) -> tensor<1x2x4x6x6xf32>
  return %y : tensor<1x2x4x6x6xf32>
}

// -----

// One transpose at each end. The mean over the volume is a mean over pixels and one over depths.
// CHECK-LABEL: @ops_between_convolutions_compute_on_images
// CHECK-COUNT-1: graph.transpose
// CHECK-NOT: graph.transpose
// CHECK: graph.conv {{.*}} -> tensor<4x8x6x6xf32>
// CHECK: graph.unary relu {{.*}}tensor<4x8x6x6xf32>
// CHECK: %[[M:.*]] = graph.reduce mean {{.*}} -> tensor<4x8x1x1xf32>
// CHECK: graph.reduce mean %[[M]] {{.*}} -> tensor<1x8x1x1xf32>
// CHECK: graph.conv {{.*}} -> tensor<1x8x1x1xf32>
// CHECK: graph.binary mul {{.*}} -> tensor<4x8x6x6xf32>
// CHECK: graph.transpose
func.func @ops_between_convolutions_compute_on_images(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x4x6x6xf32> {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1x1xf32>
  %axes = graph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x4x6x6xf32>
  %1 = graph.unary relu %0 : (tensor<1x8x4x6x6xf32>) -> tensor<1x8x4x6x6xf32>
  %2 = graph.reduce mean %1 over %axes {keepDims = true} : (tensor<1x8x4x6x6xf32>, tensor<3xi64>) -> tensor<1x8x1x1x1xf32>
  %3 = graph.conv %2, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x1x1x1xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x1x1x1xf32>
  %4 = graph.binary mul %1, %3 : (tensor<1x8x4x6x6xf32>, tensor<1x8x1x1x1xf32>) -> tensor<1x8x4x6x6xf32>
  return %4 : tensor<1x8x4x6x6xf32>
}

// -----

// A depthwise convolution is one convolution per depth tap and a sum.
// CHECK-LABEL: @depthwise_taps_are_summed
// CHECK: %[[A:.*]] = graph.conv {{.*}}groups = 8{{.*}} -> tensor<4x8x3x3xf32>
// CHECK: %[[B:.*]] = graph.pad %[[A]]
// CHECK: %[[S:.*]] = graph.slice %[[B]], {{.*}} -> tensor<2x8x3x3xf32>
// CHECK: graph.conv {{.*}}groups = 8{{.*}} -> tensor<4x8x3x3xf32>
// CHECK: graph.binary add %[[S]]
func.func @depthwise_taps_are_summed(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x2x3x3xf32> {
  %w = graph.constant dense<1.0> : tensor<8x1x2x3x3xf32>
  %y = graph.conv %x, %w {strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 1, 1, 0, 1, 1>, dilations = array<i64: 1, 1, 1>, groups = 8 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x1x2x3x3xf32>) -> tensor<1x8x2x3x3xf32>
  return %y : tensor<1x8x2x3x3xf32>
}

// -----

// CHECK-LABEL: @depthwise_kernel_of_depth_is_element_wise
// CHECK-NOT: graph.conv
// CHECK: graph.binary mul
// CHECK: graph.binary mul
// CHECK: graph.binary add
func.func @depthwise_kernel_of_depth_is_element_wise(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x3x6x6xf32> {
  %w = graph.constant dense<1.0> : tensor<8x1x2x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 8 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x1x2x1x1xf32>) -> tensor<1x8x3x6x6xf32>
  return %y : tensor<1x8x3x6x6xf32>
}

// -----

// Batch 2, and two groups with several depth taps.
// CHECK-LABEL: @other_convolutions_do_not_change
// CHECK: graph.conv %arg0, {{.*}} -> tensor<2x8x4x6x6xf32>
// CHECK: graph.conv %arg1, {{.*}} -> tensor<1x8x3x6x6xf32>
func.func @other_convolutions_do_not_change(%x: tensor<2x8x4x6x6xf32>, %z: tensor<1x8x4x6x6xf32>) -> (tensor<2x8x4x6x6xf32>, tensor<1x8x3x6x6xf32>) {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1x1xf32>
  %v = graph.constant dense<1.0> : tensor<8x4x2x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<2x8x4x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<2x8x4x6x6xf32>
  %1 = graph.conv %z, %v {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 2 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x4x2x1x1xf32>) -> tensor<1x8x3x6x6xf32>
  return %0, %1 : tensor<2x8x4x6x6xf32>, tensor<1x8x3x6x6xf32>
}

// -----

// The division by the number of rows and columns would round before the division by the depth.
// CHECK-LABEL: @means_of_integers_are_not_divided
// CHECK: graph.reduce mean {{.*}}tensor<1x8x3x6x6xi32>
func.func @means_of_integers_are_not_divided(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x1x1x1xi32> {
  %w = graph.constant dense<1.0> : tensor<8x8x2x1x1xf32>
  %axes = graph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x8x2x1x1xf32>) -> tensor<1x8x3x6x6xf32>
  %1 = graph.cast %0 {to = i32} : (tensor<1x8x3x6x6xf32>) -> tensor<1x8x3x6x6xi32>
  %2 = graph.reduce mean %1 over %axes {keepDims = true} : (tensor<1x8x3x6x6xi32>, tensor<3xi64>) -> tensor<1x8x1x1x1xi32>
  return %2 : tensor<1x8x1x1x1xi32>
}
