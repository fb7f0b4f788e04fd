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

// The depths are outermost, so that a depth tap moves all volumes together. With a stride along the
// depth, the volumes are channels of the slice.
// CHECK-LABEL: @volumes_of_a_batch_are_images
// CHECK: graph.transpose %arg0 {perm = array<i64: 2, 0, 1, 3, 4>} : {{.*}} -> tensor<4x2x8x6x6xf32>
// CHECK: %[[X:.*]] = graph.reshape {{.*}} -> tensor<8x8x6x6xf32>
// CHECK: %[[P:.*]] = graph.pad %[[X]], {{.*}} -> tensor<6x8x6x6xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[P]], {{.*}} -> tensor<3x16x6x6xf32>
// CHECK: %[[S:.*]] = graph.slice %[[R]], {{.*}} -> tensor<2x16x6x6xf32>
// CHECK: graph.reshape %[[S]], {{.*}} -> tensor<4x8x6x6xf32>
// CHECK: graph.concat {{.*}} -> tensor<4x16x6x6xf32>
// CHECK: graph.conv {{.*}} -> tensor<4x3x6x6xf32>
// CHECK: graph.reshape {{.*}} -> tensor<2x2x3x6x6xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 1, 2, 0, 3, 4>} : {{.*}} -> tensor<2x3x2x6x6xf32>
func.func @volumes_of_a_batch_are_images(%x: tensor<2x8x4x6x6xf32>) -> tensor<2x3x2x6x6xf32> {
  %w = graph.constant dense<1.0> : tensor<3x8x2x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 2, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<2x8x4x6x6xf32>, tensor<3x8x2x1x1xf32>) -> tensor<2x3x2x6x6xf32>
  return %y : tensor<2x3x2x6x6xf32>
}

// -----

// The mean of each volume is repeated for the depths of the volume.
// CHECK-LABEL: @gates_of_a_batch_are_repeated
// CHECK: %[[Y:.*]] = graph.conv {{.*}} -> tensor<8x8x6x6xf32>
// CHECK: %[[M:.*]] = graph.reduce mean %[[Y]] {{.*}} -> tensor<8x8x1x1xf32>
// CHECK: %[[A:.*]] = graph.reshape %[[M]], {{.*}} -> tensor<4x2x8xf32>
// CHECK: graph.reduce mean %[[A]] {{.*}} -> tensor<1x2x8xf32>
// CHECK: %[[G:.*]] = graph.unary sigmoid {{.*}} -> tensor<2x8x1x1xf32>
// CHECK: %[[B:.*]] = graph.reshape %[[G]], {{.*}} -> tensor<1x2x8x1x1xf32>
// CHECK: %[[E:.*]] = graph.expand %[[B]], {{.*}} -> tensor<4x2x8x1x1xf32>
// CHECK: %[[F:.*]] = graph.reshape %[[E]], {{.*}} -> tensor<8x8x1x1xf32>
// CHECK: graph.binary mul %[[Y]], %[[F]]
func.func @gates_of_a_batch_are_repeated(%x: tensor<2x8x4x6x6xf32>) -> tensor<2x8x4x6x6xf32> {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1x1xf32>
  %axes = graph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<2x8x4x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<2x8x4x6x6xf32>
  %1 = graph.reduce mean %0 over %axes {keepDims = true} : (tensor<2x8x4x6x6xf32>, tensor<3xi64>) -> tensor<2x8x1x1x1xf32>
  %2 = graph.unary sigmoid %1 : (tensor<2x8x1x1x1xf32>) -> tensor<2x8x1x1x1xf32>
  %3 = graph.binary mul %0, %2 : (tensor<2x8x4x6x6xf32>, tensor<2x8x1x1x1xf32>) -> tensor<2x8x4x6x6xf32>
  return %3 : tensor<2x8x4x6x6xf32>
}

// -----

// CHECK-LABEL: @taps_are_channels_of_their_group
// CHECK: %[[A:.*]] = graph.reshape {{.*}} -> tensor<3x2x4x6x6xf32>
// CHECK: %[[B:.*]] = graph.reshape {{.*}} -> tensor<3x2x4x6x6xf32>
// CHECK: %[[C:.*]] = graph.concat %[[A]], %[[B]] {axis = 2 : i64} : {{.*}} -> tensor<3x2x8x6x6xf32>
// CHECK: %[[D:.*]] = graph.reshape %[[C]], {{.*}} -> tensor<3x16x6x6xf32>
// CHECK: graph.conv %[[D]], {{.*}}groups = 2{{.*}} -> tensor<3x8x6x6xf32>
func.func @taps_are_channels_of_their_group(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x3x6x6xf32> {
  %w = graph.constant dense<1.0> : tensor<8x4x2x1x1xf32>
  %y = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 2 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x4x2x1x1xf32>) -> tensor<1x8x3x6x6xf32>
  return %y : tensor<1x8x3x6x6xf32>
}

// -----

// Padding along the depth is never the largest image.
// CHECK-LABEL: @max_pools_compute_on_images
// CHECK: graph.conv
// CHECK: %[[P:.*]], %{{.*}} = graph.max_pool {{.*}}kernel = array<i64: 2, 2>{{.*}} -> (tensor<4x8x3x3xf32>
// CHECK: %[[L:.*]] = graph.constant dense<0xFF800000> : tensor<f32>
// CHECK: graph.pad %[[P]], {{.*}}, %[[L]]
// CHECK: graph.binary max
// CHECK: graph.binary max
// CHECK-NOT: graph.transpose
// CHECK: graph.conv {{.*}} -> tensor<2x8x3x3xf32>
func.func @max_pools_compute_on_images(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x2x3x3xf32> {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x4x6x6xf32>
  %1, %i = graph.max_pool %0 {kernel = array<i64: 3, 2, 2>, strides = array<i64: 2, 2, 2>, pads = array<i64: 1, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, ceilMode = false, columnMajor = false}
      : (tensor<1x8x4x6x6xf32>) -> (tensor<1x8x2x3x3xf32>, tensor<1x8x2x3x3xi64>)
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x2x3x3xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x2x3x3xf32>
  return %2 : tensor<1x8x2x3x3xf32>
}

// -----

// The first result averages two depths, the others three.
// CHECK-LABEL: @average_pools_divide_by_depths
// CHECK: %[[P:.*]] = graph.average_pool {{.*}}kernel = array<i64: 1, 2>{{.*}} -> tensor<4x8x6x5xf32>
// CHECK: graph.pad %[[P]]
// CHECK: graph.binary add
// CHECK: %[[S:.*]] = graph.binary add
// CHECK: %[[D:.*]] = graph.constant dense<{{\[\[\[\[}}2.000000e+00]]], {{\[\[\[}}3.000000e+00]]], {{\[\[\[}}3.000000e+00]]]]> : tensor<3x1x1x1xf32>
// CHECK: graph.binary div %[[S]], %[[D]]
func.func @average_pools_divide_by_depths(%x: tensor<1x8x4x6x6xf32>) -> tensor<1x8x3x6x5xf32> {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1x1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x4x6x6xf32>
  %1 = graph.average_pool %0 {kernel = array<i64: 3, 1, 2>, strides = array<i64: 1, 1, 1>, pads = array<i64: 1, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<1x8x4x6x6xf32>) -> tensor<1x8x3x6x5xf32>
  return %1 : tensor<1x8x3x6x5xf32>
}

// -----

// Computed weights, and pools with many depth taps or with indices that are read.
// CHECK-LABEL: @other_ops_do_not_change
// CHECK: graph.conv %arg0, %arg1 {{.*}} -> tensor<1x8x9x6x6xf32>
// CHECK: graph.average_pool {{.*}} -> tensor<1x8x1x6x6xf32>
// CHECK: graph.max_pool {{.*}} -> (tensor<1x8x8x6x6xf32>
func.func @other_ops_do_not_change(%x: tensor<1x8x9x6x6xf32>, %v: tensor<8x8x1x1x1xf32>) -> (tensor<1x8x9x6x6xf32>, tensor<1x8x1x6x6xf32>, tensor<1x8x8x6x6xi64>) {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1x1xf32>
  %0 = graph.conv %x, %v {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x9x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x9x6x6xf32>
  %1 = graph.conv %x, %w {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, groups = 1 : i64}
      : (tensor<1x8x9x6x6xf32>, tensor<8x8x1x1x1xf32>) -> tensor<1x8x9x6x6xf32>
  %2 = graph.average_pool %1 {kernel = array<i64: 9, 1, 1>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<1x8x9x6x6xf32>) -> tensor<1x8x1x6x6xf32>
  %3, %i = graph.max_pool %1 {kernel = array<i64: 2, 1, 1>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, ceilMode = false, columnMajor = false}
      : (tensor<1x8x9x6x6xf32>) -> (tensor<1x8x8x6x6xf32>, tensor<1x8x8x6x6xi64>)
  return %0, %2, %i : tensor<1x8x9x6x6xf32>, tensor<1x8x1x6x6xf32>, tensor<1x8x8x6x6xi64>
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
