// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-quantize-choose-scales))' | FileCheck %s

// 0 to 255 * 0.5 becomes 0 to 127 steps of 0.5 * 255 / 127, and negative values are still clamped to 0.
// CHECK-LABEL: func.func @unsigned_layers_get_a_relu
// CHECK: %[[CONV:.*]] = graph.conv
// CHECK: %[[RELU:.*]] = graph.unary relu %[[CONV]]
// CHECK: %[[S:.*]] = graph.constant dense<1.00393701> : tensor<f32>
// CHECK: %[[Z:.*]] = graph.constant dense<0> : tensor<i8>
// CHECK: %[[Q:.*]] = graph.quantize_linear %[[RELU]], %[[S]], %[[Z]] {{.*}} -> tensor<1x1x2x2xi8>
// CHECK: %[[X:.*]] = graph.dequantize_linear %[[Q]], %[[S]], %[[Z]]
// CHECK: return %[[X]]
func.func @unsigned_layers_get_a_relu(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  %1 = graph.quantize_linear %0, %s, %z {to = ui8, axis = 0 : i64} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x1x2x2xui8>
  %2 = graph.dequantize_linear %1, %s, %z {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x2x2xf32>
  return %2 : tensor<1x1x2x2xf32>
}

// -----

// The caller's integers keep their zero points; the inner pair has zero point 0.
// CHECK-LABEL: func.func @interfaces_stay
// CHECK: graph.dequantize_linear %arg0
// CHECK: graph.quantize_linear {{.*}}-> tensor<4x4xi8>
// CHECK: graph.dequantize_linear
// CHECK: graph.matmul
// CHECK: graph.quantize_linear {{.*}}-> tensor<4x4xi8>
// CHECK: %[[IN:.*]] = graph.dequantize_linear
// CHECK: %[[OUT:.*]] = graph.quantize_linear %[[IN]], {{.*}}-> tensor<4x4xi8>
// CHECK: return %[[OUT]]
func.func @interfaces_stay(%x: tensor<4x4xi8>, %w: tensor<4x4xf32>) -> tensor<4x4xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<i8>
  %0 = graph.dequantize_linear %x, %s, %z {to = f32, axis = 0 : i64} : (tensor<4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<4x4xf32>
  %1 = graph.matmul %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.quantize_linear %1, %s, %z {to = i8, axis = 0 : i64} : (tensor<4x4xf32>, tensor<f32>, tensor<i8>) -> tensor<4x4xi8>
  return %2 : tensor<4x4xi8>
}

// -----

// A graph without zero points does not change.
// CHECK-LABEL: func.func @symmetric_stays
// CHECK-NEXT: %[[S:.*]] = graph.constant
// CHECK-NEXT: %[[Q:.*]] = graph.quantize_linear %arg0, %[[S]]
// CHECK-NEXT: %[[X:.*]] = graph.dequantize_linear %[[Q]], %[[S]]
// CHECK-NEXT: return %[[X]]
func.func @symmetric_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %1 = graph.quantize_linear %x, %s {to = i8, axis = 0 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  %2 = graph.dequantize_linear %1, %s {to = f32, axis = 0 : i64} : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
