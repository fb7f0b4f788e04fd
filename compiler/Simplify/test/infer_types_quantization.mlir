// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// CHECK-LABEL: func.func @scales_are_per_tensor_axis_or_block
// CHECK-SAME: -> (tensor<2x6xi8>, tensor<2x6xi8>, tensor<2x6xi8>)
func.func @scales_are_per_tensor_axis_or_block(%x: tensor<2x6xf32>, %s: tensor<f32>, %a: tensor<6xf32>, %b: tensor<2x2xf32>)
    -> (tensor<*xi8>, tensor<*xi8>, tensor<*xi8>) {
  %0 = graph.quantize_linear %x, %s {to = i8, axis = 1 : i64} : (tensor<2x6xf32>, tensor<f32>) -> tensor<*xi8>
  %1 = graph.quantize_linear %x, %a {to = i8, axis = 1 : i64} : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<*xi8>
  %2 = graph.quantize_linear %x, %b {to = i8, axis = 1 : i64, blockSize = 4 : i64} : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<*xi8>
  return %0, %1, %2 : tensor<*xi8>, tensor<*xi8>, tensor<*xi8>
}

// -----

func.func @a_vector_has_one_scale_per_index(%x: tensor<2x6xf32>, %s: tensor<5xf32>) {
  // expected-error@+1 {{has a scale of type 'tensor<5xf32>' for input 'tensor<2x6xf32>', expected a scalar or a vector of size 6}}
  %0 = graph.quantize_linear %x, %s {to = i8, axis = 1 : i64} : (tensor<2x6xf32>, tensor<5xf32>) -> tensor<*xi8>
  return
}

// -----

func.func @blocks_cover_the_axis(%x: tensor<2x6xi4>, %s: tensor<2x4xf32>) {
  // expected-error@+1 {{has a scale of type 'tensor<2x4xf32>' for input 'tensor<2x6xi4>', expected one entry per block of 2 along axis 1}}
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 1 : i64, blockSize = 2 : i64} : (tensor<2x6xi4>, tensor<2x4xf32>) -> tensor<*xf32>
  return
}

// -----

// [quantize_linear.1]
func.func @zero_points_match_scales(%x: tensor<2x6xf32>, %s: tensor<6xf32>, %z: tensor<i8>) {
  // expected-error@+1 {{expects scale and zero point of the same shape, got 'tensor<6xf32>' and 'tensor<i8>'}}
  %0 = graph.quantize_linear %x, %s, %z {to = i8, axis = 1 : i64} : (tensor<2x6xf32>, tensor<6xf32>, tensor<i8>) -> tensor<*xi8>
  return
}

// -----

func.func @zero_points_have_the_quantized_type(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error@+1 {{expects a zero point of element type 'i8', got 'ui8'}}
  %0 = graph.quantize_linear %x, %s, %z {to = i8, axis = 0 : i64} : (tensor<2xf32>, tensor<f32>, tensor<ui8>) -> tensor<*xi8>
  return
}

// -----

func.func @wide_types_are_not_quantized(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{cannot quantize to 'i64'; expected an integer type of at most 32 bits or a floating-point type of at most 8 bits}}
  %0 = graph.quantize_linear %x, %s {to = i64, axis = 0 : i64} : (tensor<2xf32>, tensor<f32>) -> tensor<*xi64>
  return
}

// -----

func.func @floats_are_not_dequantized(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{cannot dequantize 'f32'; expected an integer type or a floating-point type of at most 8 bits}}
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<2xf32>, tensor<f32>) -> tensor<*xf32>
  return
}
