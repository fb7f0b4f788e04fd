// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-accelerators-lower-graph))' | FileCheck %s

// CHECK-LABEL: @product_is_a_convolution_of_one_pixel
func.func @product_is_a_convolution_of_one_pixel(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  // CHECK: %[[X:.*]] = convcore.reshape %{{.*}} {convcore.nodes = array<i64: 0>, shape = array<i64: 2, 3, 1, 1>}
  // CHECK: %[[W:.*]] = graph.constant {{.*}}[1.000000e+00]{{.*}}[3.000000e+00]{{.*}}[5.000000e+00]{{.*}}tensor<2x3x1x1xf32>
  // CHECK: %[[Y:.*]] = convcore.conv %[[X]], %[[W]] {{.*}}-> tensor<2x2x1x1xf32>
  // CHECK: convcore.reshape %[[Y]] {{.*}}-> tensor<2x2xf32>
  %y = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: @bounds_are_clips
func.func @bounds_are_clips(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  // CHECK: convcore.activation {{.*}}activation = #convcore.act<relu>
  %0 = graph.binary max %x, %zero : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  // CHECK: convcore.activation {{.*}}#convcore.act<clip, low = 0xFFF0000000000000 : f64, high = 6.000000e+00 : f64>
  %1 = graph.binary min %0, %six : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  return %1 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @mean_over_the_plane_is_a_global_pool
func.func @mean_over_the_plane_is_a_global_pool(%x: tensor<1x2x3x5xf32>) -> tensor<1x2xf32> {
  %axes = graph.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK: %[[P:.*]] = convcore.pool {{.*}}kernel = array<i64: 3, 5>{{.*}}-> tensor<1x2x1x1xf32>
  // CHECK: convcore.reshape %[[P]] {{.*}}-> tensor<1x2xf32>
  %y = graph.reduce mean %x over %axes {keepDims = false} : (tensor<1x2x3x5xf32>, tensor<2xi64>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: @integers_keep_their_zero_points
func.func @integers_keep_their_zero_points(%x: tensor<1x2x3x3xui8>) -> tensor<1x1x3x3xi8> {
  %w = graph.constant dense<1> : tensor<1x2x1x1xi8>
  %m = graph.constant dense<3> : tensor<i32>
  %s = graph.constant dense<4> : tensor<i32>
  // CHECK: convcore.conv {{.*}}inputZeroPoint = 128 : i64{{.*}}-> tensor<1x1x3x3xi32>
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 128 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x3x3xui8>, tensor<1x2x1x1xi8>) -> tensor<1x1x3x3xi32>
  // CHECK: convcore.requantize {{.*}}multipliers = [3], shifts = [4], zeroPoint = 1
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 1 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32} : (tensor<1x1x3x3xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1x3x3xi8>
  return %1 : tensor<1x1x3x3xi8>
}

// -----

// A shift that divides the multipliers leaves the sum itself; its zero point is a bias.
// CHECK-LABEL: @sum_of_i32_has_a_bias
func.func @sum_of_i32_has_a_bias(%x: tensor<1x2x3x3xui8>, %y: tensor<1x2x3x3xui8>) -> tensor<1x2x3x3xi32> {
  // CHECK: convcore.eltwise %arg0, %arg1 {bias = -77 : i64, {{.*}}kind = 0 : i32, lhsMultiplier = 3 : i64, lhsZeroPoint = 5 : i64, rhsMultiplier = -8 : i64} {{.*}}-> tensor<1x2x3x3xi32>
  %0 = graph.integer_add %x, %y {to = i32, lhsZeroPoint = 5 : i64, rhsZeroPoint = 0 : i64, lhsMultiplier = 6 : i64, rhsMultiplier = -16 : i64, shift = 1 : i64, zeroPoint = -77 : i64, low = -2147483648 : i64, high = 2147483647 : i64, rounding = 0 : i32} : (tensor<1x2x3x3xui8>, tensor<1x2x3x3xui8>) -> tensor<1x2x3x3xi32>
  return %0 : tensor<1x2x3x3xi32>
}

// -----

// CHECK-LABEL: @rounded_sum_of_i32
func.func @rounded_sum_of_i32(%x: tensor<1x2x3x3xui8>, %y: tensor<1x2x3x3xui8>) -> tensor<1x2x3x3xi32> {
  // CHECK: convcore.eltwise {{.*}}requant = #convcore.requant<i32, multipliers = [1], shifts = [1]
  %0 = graph.integer_add %x, %y {to = i32, lhsZeroPoint = 5 : i64, rhsZeroPoint = 0 : i64, lhsMultiplier = 5 : i64, rhsMultiplier = 16 : i64, shift = 1 : i64, zeroPoint = 0 : i64, low = -2147483648 : i64, high = 2147483647 : i64, rounding = 0 : i32} : (tensor<1x2x3x3xui8>, tensor<1x2x3x3xui8>) -> tensor<1x2x3x3xi32>
  return %0 : tensor<1x2x3x3xi32>
}

// -----

func.func @no_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{cannot be lowered to convcore: convcore has no op for erf}}
  %y = graph.unary erf %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @weights_are_constants(%x: tensor<1x2x3x3xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x3x3xf32> {
  // expected-error@+1 {{cannot be lowered to convcore: its weights are not constant}}
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x3x3xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}

// -----

func.func @wide_sums(%x: tensor<1x8x4x4xi16>) -> tensor<1x8x4x4xi64> {
  %w = graph.constant dense<1> : tensor<8x8x1x1xi8>
  %b = graph.constant dense<1> : tensor<8xi64>
  // expected-error@+1 {{cannot be lowered to convcore: its sums have 64 bits; convcore supports 32 bits}}
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x4x4xi16>, tensor<8x8x1x1xi8>, tensor<8xi64>) -> tensor<1x8x4x4xi64>
  return %0 : tensor<1x8x4x4xi64>
}
