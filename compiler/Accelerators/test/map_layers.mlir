// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-map-layers{device=example}))' | FileCheck %s

// CHECK-LABEL: @dilated_kernel_is_spread
func.func @dilated_kernel_is_spread(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  // CHECK: graph.constant {{.*}}[1.000000e+00, 0.000000e+00, 2.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00], [3.000000e+00, 0.000000e+00, 4.000000e+00]
  // CHECK: convcore.conv {{.*}}dilations = array<i64: 1, 1>
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<1x1x5x5xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}

// -----

// CHECK-LABEL: @few_groups_are_slices
func.func @few_groups_are_slices(%x: tensor<1x4x5x5xf32>) -> tensor<1x6x5x5xf32> {
  %w = graph.constant dense<1.0> : tensor<6x2x1x1xf32>
  // CHECK: %[[A:.*]] = convcore.slice {{.*}}offsets = array<i64: 0, 0, 0, 0>
  // CHECK: %[[B:.*]] = convcore.conv %[[A]], {{.*}}tensor<1x3x5x5xf32>
  // CHECK: %[[C:.*]] = convcore.slice {{.*}}offsets = array<i64: 0, 2, 0, 0>
  // CHECK: %[[D:.*]] = convcore.conv %[[C]]
  // CHECK: convcore.concat %[[B]], %[[D]]
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x5x5xf32>, tensor<6x2x1x1xf32>) -> tensor<1x6x5x5xf32>
  return %y : tensor<1x6x5x5xf32>
}

// -----

// CHECK-LABEL: @many_groups_are_zeros
func.func @many_groups_are_zeros(%x: tensor<1x9x5x5xf32>) -> tensor<1x9x5x5xf32> {
  %w = graph.constant dense<1.0> : tensor<9x1x1x1xf32>
  // CHECK: convcore.conv {{.*}}groups = 1 : i64{{.*}}tensor<9x9x1x1xf32>
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 9 : i64} : (tensor<1x9x5x5xf32>, tensor<9x1x1x1xf32>) -> tensor<1x9x5x5xf32>
  return %y : tensor<1x9x5x5xf32>
}

// -----

// CHECK-LABEL: @global_pool_is_divided
func.func @global_pool_is_divided(%x: tensor<1x2x8x6xf32>) -> tensor<1x2x1x1xf32> {
  // CHECK: %[[A:.*]] = convcore.pool %arg0 {{.*}}kernel = array<i64: 4, 3>{{.*}}strides = array<i64: 4, 3>
  // CHECK: convcore.pool %[[A]] {{.*}}kernel = array<i64: 2, 2>
  %y = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 8, 6>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x8x6xf32>) -> tensor<1x2x1x1xf32>
  return %y : tensor<1x2x1x1xf32>
}

// -----

// CHECK-LABEL: @mean_of_seven_is_a_convolution
func.func @mean_of_seven_is_a_convolution(%x: tensor<1x2x7x7xf32>) -> tensor<1x2x1x1xf32> {
  // CHECK-NOT: convcore.pool
  // CHECK: convcore.conv {{.*}}tensor<1x1x7x7xf32>
  // CHECK: convcore.concat
  %y = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x7x7xf32>) -> tensor<1x2x1x1xf32>
  return %y : tensor<1x2x1x1xf32>
}

// -----

// CHECK-LABEL: @what_fits_stays
func.func @what_fits_stays(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32> {
  // CHECK: convcore.pool {{.*}}kernel = array<i64: 4, 4>
  %y = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
  return %y : tensor<1x2x1x1xf32>
}
