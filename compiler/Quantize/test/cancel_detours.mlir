// RUN: convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-quantize-cancel-detours))' | FileCheck %s

// CHECK-LABEL: func.func @transpose_works_on_integers
// CHECK: %[[T:.*]] = graph.transpose %arg0 {{.*}} -> tensor<1x3x4x4xui8>
// CHECK: graph.dequantize_linear %[[T]]
func.func @transpose_works_on_integers(%x: tensor<1x4x4x3xui8>) -> tensor<1x3x4x4xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<128> : tensor<ui8>
  %0 = graph.dequantize_linear %x, %s, %z {to = f32, axis = 0 : i64} : (tensor<1x4x4x3xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x4x3xf32>
  %1 = graph.transpose %0 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x3xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: func.func @relu_is_a_maximum_with_the_zero_point
// CHECK-COUNT-2: dense<-7> : tensor<i8>
// CHECK-NEXT: %[[M:.*]] = graph.binary max %arg0, %
// CHECK: graph.dequantize_linear %[[M]]
func.func @relu_is_a_maximum_with_the_zero_point(%x: tensor<8xi8>) -> tensor<8xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<-7> : tensor<i8>
  %0 = graph.dequantize_linear %x, %s, %z {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>, tensor<i8>) -> tensor<8xf32>
  %1 = graph.unary relu %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Scales per row become scales per column.
// CHECK-LABEL: func.func @weights_are_transposed_at_once
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6{{\]\]}}> : tensor<3x2xi8>
// CHECK: graph.dequantize_linear %[[W]], {{.*}} {axis = 1 : i64
func.func @weights_are_transposed_at_once() -> tensor<3x2xf32> {
  %w = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %s = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @quantize_meets_its_layer
// CHECK: %[[A:.*]] = graph.unary abs
// CHECK: %[[Q:.*]] = graph.quantize_linear %[[A]]
// CHECK: graph.reshape %[[Q]]{{.*}} -> tensor<8xi8>
func.func @quantize_meets_its_layer(%x: tensor<2x4xf32>) -> tensor<8xi8> {
  %shape = graph.constant dense<8> : tensor<1xi64>
  %0 = graph.unary abs %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = graph.reshape %0, %shape : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<8xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %2 = graph.quantize_linear %1, %s {to = i8, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi8>
  return %2 : tensor<8xi8>
}

// A padding value other than zero may not be representable as an integer.
// CHECK-LABEL: func.func @pads_with_the_zero_point
// CHECK-COUNT-2: dense<3> : tensor<i8>
// CHECK-NEXT: %[[P:.*]] = graph.pad %arg0, %{{.*}}, %
// CHECK: %[[R:.*]] = graph.dequantize_linear %[[P]]
// CHECK: graph.pad %[[R]]
func.func @pads_with_the_zero_point(%x: tensor<4xi8>) -> tensor<8xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<i8>
  %p = graph.constant dense<1> : tensor<2xi64>
  %v = graph.constant dense<0.3> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s, %z {to = f32, axis = 0 : i64} : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
  %1 = graph.pad %0, %p {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<6xf32>
  %2 = graph.pad %1, %p, %v {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<6xf32>, tensor<2xi64>, tensor<f32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
