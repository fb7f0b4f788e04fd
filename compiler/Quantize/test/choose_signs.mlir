// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-quantize-choose-signs))' | FileCheck %s

// The zero point of the inner pair is 3 - 128, and the transpose between them reads signed bytes.
// CHECK-LABEL: func.func @inner_pairs_become_signed
// CHECK: %[[Z:.*]] = graph.constant dense<-125> : tensor<i8>
// CHECK: %[[Q:.*]] = graph.quantize_linear %arg0, %{{.*}}, %[[Z]] {{.*}} -> tensor<2x4xi8>
// CHECK: %[[P:.*]] = graph.transpose %[[Q]] {{.*}} -> tensor<4x2xi8>
// CHECK: %[[Z2:.*]] = graph.constant dense<-125> : tensor<i8>
// CHECK: %[[X:.*]] = graph.dequantize_linear %[[P]], %{{.*}}, %[[Z2]]
// CHECK-NOT: ui8
// CHECK: return %[[X]]
func.func @inner_pairs_become_signed(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.quantize_linear %x, %s, %z {to = ui8, axis = 0 : i64} : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0>} : (tensor<2x4xui8>) -> tensor<4x2xui8>
  %2 = graph.dequantize_linear %1, %s, %z {to = f32, axis = 0 : i64} : (tensor<4x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// The caller's integers stay unsigned. A missing zero point is 0.
// CHECK-LABEL: func.func @interfaces_stay
// CHECK-SAME: (%[[ARG:.*]]: tensor<4xui8>) -> tensor<4xui8>
// CHECK: %[[WIDE:.*]] = graph.cast %[[ARG]] {{.*}} -> tensor<4xi32>
// CHECK: %[[LESS:.*]] = graph.constant dense<-128> : tensor<i32>
// CHECK: %[[SUM:.*]] = graph.binary add %[[WIDE]], %[[LESS]]
// CHECK: %[[SIGNED:.*]] = graph.cast %[[SUM]] {{.*}} -> tensor<4xi8>
// CHECK: graph.dequantize_linear %[[SIGNED]], {{.*}} -> tensor<4xf32>
// CHECK: %[[Q:.*]] = graph.quantize_linear {{.*}} -> tensor<4xi8>
// CHECK: %[[MORE:.*]] = graph.constant dense<128> : tensor<i32>
// CHECK: graph.binary add %{{.*}}, %[[MORE]]
// CHECK: %[[OUT:.*]] = graph.cast {{.*}} -> tensor<4xui8>
// CHECK: return %[[OUT]]
func.func @interfaces_stay(%x: tensor<4xui8>) -> tensor<4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<4xui8>, tensor<f32>) -> tensor<4xf32>
  %1 = graph.unary exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.quantize_linear %1, %s {to = ui8, axis = 0 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xui8>
  return %2 : tensor<4xui8>
}

// -----

// Import writes the input of QLinearConv as i32(x) - zero point.
// CHECK-LABEL: func.func @inputs_of_integer_layers
// CHECK: %[[SIGNED:.*]] = graph.cast {{.*}} -> tensor<1x1x2x2xi8>
// CHECK: %[[WIDE:.*]] = graph.cast %[[SIGNED]] {{.*}} -> tensor<1x1x2x2xi32>
// CHECK: %[[Z:.*]] = graph.constant dense<-120> : tensor<i32>
// CHECK: %[[X:.*]] = graph.binary sub %[[WIDE]], %[[Z]]
// CHECK: graph.conv %[[X]]
func.func @inputs_of_integer_layers(%x: tensor<1x1x2x2xui8>, %w: tensor<1x1x1x1xi32>) -> tensor<1x1x2x2xi32> {
  %z = graph.constant dense<8> : tensor<i32>
  %0 = graph.cast %x {to = i32} : (tensor<1x1x2x2xui8>) -> tensor<1x1x2x2xi32>
  %1 = graph.binary sub %0, %z : (tensor<1x1x2x2xi32>, tensor<i32>) -> tensor<1x1x2x2xi32>
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x2x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x2x2xi32>
  return %2 : tensor<1x1x2x2xi32>
}

// -----

// A zero point that is computed at run time stays.
// CHECK-LABEL: func.func @computed_zero_points_stay
// CHECK: graph.quantize_linear {{.*}} -> tensor<4xui8>
// CHECK: graph.dequantize_linear {{.*}}tensor<4xui8>
func.func @computed_zero_points_stay(%x: tensor<4xf32>, %z: tensor<ui8>) -> tensor<4xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.quantize_linear %x, %s, %z {to = ui8, axis = 0 : i64} : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  %1 = graph.dequantize_linear %0, %s, %z {to = f32, axis = 0 : i64} : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
