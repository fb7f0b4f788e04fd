// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=8 rounding=half_up byte-tables=true}))' | FileCheck %s

// The largest square is that of 128; the sum of a window may be 1 + 2 / 9 times as large, so it is
// scaled by 209 / 2^8.
// CHECK-LABEL: func.func @normalization
// CHECK: %[[SQUARES:.*]] = graph.lookup %arg0
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<3x3x1x1xi8>
// CHECK: %[[SUM:.*]] = graph.integer_conv %[[SQUARES]], %[[W]]
// CHECK: graph.constant dense<209> : tensor<i32>
// CHECK: graph.constant dense<8> : tensor<i32>
// CHECK: %[[INDEX:.*]] = graph.requantize %[[SUM]], {{.*}}to = ui8
// CHECK: %[[FACTOR:.*]] = graph.lookup %[[INDEX]]
// CHECK: %[[PRODUCT:.*]] = graph.integer_mul %arg0, %[[FACTOR]]
// CHECK: graph.requantize %[[PRODUCT]], {{.*}}to = i8
func.func @normalization(%x: tensor<1x3x2x2xi8>) -> tensor<1x3x2x2xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x3x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x3x2x2xf32>
  %1 = graph.lrn %0 {size = 3 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = i8, axis = 0 : i64} : (tensor<1x3x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x3x2x2xi8>
  return %2 : tensor<1x3x2x2xi8>
}

// -----

func.func @zero_point(%x: tensor<1x3x2x2xi8>) -> tensor<1x3x2x2xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<3> : tensor<i8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x3x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x3x2x2xf32>
  // expected-remark@+1 {{stays in floating point: tables of bytes require images of int8 without zero points, a positive bias and alpha, and a non-negative beta}}
  %1 = graph.lrn %0 {size = 3 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = i8, axis = 0 : i64} : (tensor<1x3x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x3x2x2xi8>
  return %2 : tensor<1x3x2x2xi8>
}
