// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-fold-batch-norm))' | FileCheck %s

// scale / sqrt(variance + epsilon) = 2 / sqrt(3 + 1) = 1; bias (0 - 1) * 1 + 5 = 4.
// CHECK-LABEL: @norm_becomes_weights_and_bias
// CHECK-DAG: graph.constant dense<3.000000e+00> : tensor<1x1x1x1xf32>
// CHECK-DAG: graph.constant dense<4.000000e+00> : tensor<1xf32>
// CHECK: graph.conv
// CHECK-NOT: graph.batch_norm
func.func @norm_becomes_weights_and_bias(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = graph.constant dense<3.0> : tensor<1x1x1x1xf32>
  %scale = graph.constant dense<2.0> : tensor<1xf32>
  %bias = graph.constant dense<5.0> : tensor<1xf32>
  %mean = graph.constant dense<1.0> : tensor<1xf32>
  %variance = graph.constant dense<3.0> : tensor<1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance {epsilon = 1.0 : f64}
      : (tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
  return %1 : tensor<1x1x4x4xf32>
}

// -----

// The pass changes nothing, because the convolution has another reader.
// CHECK-LABEL: @shared_convolution_is_left_alone
// CHECK: graph.batch_norm
func.func @shared_convolution_is_left_alone(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) {
  %w = graph.constant dense<3.0> : tensor<1x1x1x1xf32>
  %p = graph.constant dense<1.0> : tensor<1xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %1 = graph.batch_norm %0, %p, %p, %p, %p {epsilon = 1.0 : f64}
      : (tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
  return %0, %1 : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}

// -----

// The integers do not change; scale 0.5 times 2 / sqrt(3 + 1) and times 4 / sqrt(3 + 1).
// CHECK-LABEL: @quantized_weights_get_other_scales
// CHECK-DAG: %[[INTS:.*]] = graph.constant dense<3> : tensor<2x1x1x1xi8>
// CHECK-DAG: %[[SCALES:.*]] = graph.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[BIAS:.*]] = graph.constant dense<[4.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[W:.*]] = graph.dequantize_linear %[[INTS]], %[[SCALES]] {axis = 0
// CHECK: graph.conv %arg0, %[[W]], %[[BIAS]]
// CHECK-NOT: graph.batch_norm
func.func @quantized_weights_get_other_scales(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %ints = graph.constant dense<3> : tensor<2x1x1x1xi8>
  %step = graph.constant dense<0.5> : tensor<f32>
  %w = graph.dequantize_linear %ints, %step {to = f32, axis = 0 : i64} : (tensor<2x1x1x1xi8>, tensor<f32>) -> tensor<2x1x1x1xf32>
  %scale = graph.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %bias = graph.constant dense<5.0> : tensor<2xf32>
  %mean = graph.constant dense<1.0> : tensor<2xf32>
  %variance = graph.constant dense<3.0> : tensor<2xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance {epsilon = 1.0 : f64}
      : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// The channels of a transposed convolution are dimension 1 of its weights, for each group. The
// factors are 2 / sqrt(3 + 1) = 1, 2, 3 and 4.
// CHECK-LABEL: @norm_of_a_transposed_convolution
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}2.000000e+00]]], {{\[\[\[}}3.000000e+00]], {{\[\[}}4.000000e+00]]]]> : tensor<2x2x1x1xf32>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<[4.000000e+00, 3.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<4xf32>
// CHECK: graph.conv_transpose %arg0, %[[W]], %[[B]] {{.*}}groups = 2
// CHECK-NOT: graph.batch_norm
func.func @norm_of_a_transposed_convolution(%x: tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %w = graph.constant dense<1.0> : tensor<2x2x1x1xf32>
  %scale = graph.constant dense<[2.0, 4.0, 6.0, 8.0]> : tensor<4xf32>
  %bias = graph.constant dense<5.0> : tensor<4xf32>
  %mean = graph.constant dense<1.0> : tensor<4xf32>
  %variance = graph.constant dense<3.0> : tensor<4xf32>
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 0, 0>, groups = 2 : i64}
      : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x4x4x4xf32>
  %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance {epsilon = 1.0 : f64}
      : (tensor<1x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  return %1 : tensor<1x4x4x4xf32>
}
