// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=15 rounding=half_away short-table=2 long-table=4}))' | FileCheck %s

// Between 1 and 1 / (1 + 65025 / 65025) f is nearly linear; the entries are 32767 f(s). The zero
// point 0 is 128 below the middle of the type, which is 128 * 2^29 / 16385 before the factor.
// CHECK-LABEL: func.func @normalization_by_tables
// CHECK: %[[NEAR:.*]] = graph.constant dense<[32767, {{.*}}]> : tensor<5xi16>
// CHECK: %[[FAR:.*]] = graph.constant dense<{{.*}}> : tensor<3xi16>
// CHECK: %[[SUMS:.*]] = graph.integer_lrn %arg0, %[[NEAR]], %[[FAR]] {bias = -4194048 : i64, {{.*}}inputZeroPoint = 0 : i64, {{.*}}size = 1 : i64}
// CHECK: %[[M:.*]] = graph.constant dense<16385> : tensor<i32>
// CHECK: %[[S:.*]] = graph.constant dense<29> : tensor<i32>
// CHECK: graph.requantize %[[SUMS]], %[[M]], %[[S]] {{.*}}high = 255 : i64{{.*}}low = 0 : i64, rounding = 0 : i32{{.*}}zeroPoint = 128 : i64
func.func @normalization_by_tables(%x: tensor<1x4x2x2xui8>) -> tensor<1x4x2x2xui8> {
  %s = graph.constant dense<0.00392156886> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<ui8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x4x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x2x2xf32>
  %1 = graph.lrn %0 {size = 1 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = ui8, axis = 0 : i64} : (tensor<1x4x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x2x2xui8>
  return %2 : tensor<1x4x2x2xui8>
}

// -----

// CHECK-LABEL: func.func @growing_factor
// CHECK: graph.lrn
func.func @growing_factor(%x: tensor<1x4x2x2xui8>) -> tensor<1x4x2x2xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<ui8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x4x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x2x2xf32>
  // expected-remark@+1 {{stays in floating point: tables require 8-bit elements, a size of at most 255 channels, a positive bias and non-negative alpha and beta}}
  %1 = graph.lrn %0 {size = 1 : i64, alpha = 1.0 : f64, beta = -1.0 : f64, bias = 1.0 : f64} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = ui8, axis = 0 : i64} : (tensor<1x4x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x2x2xui8>
  return %2 : tensor<1x4x2x2xui8>
}

// -----

// CHECK-LABEL: func.func @scales_far_apart
// CHECK: graph.lrn
func.func @scales_far_apart(%x: tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xi8> {
  %sx = graph.constant dense<1.0e-3> : tensor<f32>
  %sy = graph.constant dense<100.0> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %zy = graph.constant dense<100> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx, %zero {to = f32, axis = 0 : i64} : (tensor<1x4x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x4x2x2xf32>
  // expected-remark@+1 {{stays in floating point: the ratio of the scales exceeds the range of a multiplier}}
  %1 = graph.lrn %0 {size = 1 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  %2 = graph.quantize_linear %1, %sy, %zy {to = i8, axis = 0 : i64} : (tensor<1x4x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x4x2x2xi8>
  return %2 : tensor<1x4x2x2xi8>
}
