// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=15 rounding=half_away one-shift=true average-by-axis=true add-factor-bits=7}))' | FileCheck %s

// 0.5 * 0.25 / 0.125 = 1 has 2^14 / 2^14; 0.5 * 0.1 / 0.125 = 0.4 uses the same shift.
// CHECK-LABEL: func.func @channels_share_a_shift
// CHECK-DAG: graph.constant dense<[16384, 6554]> : tensor<2xi32>
// CHECK-DAG: graph.constant dense<14> : tensor<2xi32>
// CHECK: graph.requantize {{.*}}rounding = 0 : i32
func.func @channels_share_a_shift(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x2x2xi8> {
  %w = graph.constant dense<1> : tensor<2x1x3x3xi8>
  %sx = graph.constant dense<0.5> : tensor<f32>
  %sw = graph.constant dense<[0.25, 0.1]> : tensor<2xf32>
  %sy = graph.constant dense<0.125> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx {to = f32, axis = 0 : i64} : (tensor<1x1x4x4xi8>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %1 = graph.dequantize_linear %w, %sw {to = f32, axis = 0 : i64} : (tensor<2x1x3x3xi8>, tensor<2xf32>) -> tensor<2x1x3x3xf32>
  %2 = graph.conv %0, %1 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  %3 = graph.quantize_linear %2, %sy, %zero {to = i8, axis = 0 : i64} : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  return %3 : tensor<1x2x2x2xi8>
}

// -----

// Columns first: 65536 / 3 is truncated; then rows: 65536 / 2. The scales are equal, so no further
// rescaling follows.
// CHECK-LABEL: func.func @average_by_axis
// CHECK: %[[SUMS:.*]] = graph.integer_sum_pool %arg0
// CHECK: %[[THIRD:.*]] = graph.constant dense<21845> : tensor<i32>
// CHECK: %[[COLUMNS:.*]] = graph.requantize %[[SUMS]], %[[THIRD]], {{.*}}to = i32
// CHECK: %[[HALF:.*]] = graph.constant dense<32768> : tensor<i32>
// CHECK: %[[ROWS:.*]] = graph.requantize %[[COLUMNS]], %[[HALF]], {{.*}}to = i8
// CHECK: return %[[ROWS]]
func.func @average_by_axis(%x: tensor<1x1x4x6xi8>) -> tensor<1x1x2x2xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x4x6xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x4x6xf32>
  %1 = graph.average_pool %0 {kernel = array<i64: 2, 3>, strides = array<i64: 2, 3>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false} : (tensor<1x1x4x6xf32>) -> tensor<1x1x2x2xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
  return %2 : tensor<1x1x2x2xi8>
}

// -----

// A different scale requires one more rounding.
// CHECK-LABEL: func.func @average_to_another_scale
// CHECK-COUNT-3: graph.requantize
func.func @average_to_another_scale(%x: tensor<1x1x2x2xi8>) -> tensor<1x1x1x1xi8> {
  %sx = graph.constant dense<0.5> : tensor<f32>
  %sy = graph.constant dense<0.3> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %1 = graph.average_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %2 = graph.quantize_linear %1, %sy, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x1x1xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x1x1xi8>
  return %2 : tensor<1x1x1x1xi8>
}

// -----

// 0.3 to 0.5 is 3 to 5, exactly: a common multiplier of 14 bits, 0.5 / 5 / 0.7 * 2^16 = 9362.
// CHECK-LABEL: func.func @addition_with_small_factors
// CHECK: graph.integer_add {{.*}}lhsMultiplier = 28086 : i64{{.*}}rhsMultiplier = 46810 : i64{{.*}}shift = 16 : i64
func.func @addition_with_small_factors(%x: tensor<1x1x2x2xi8>, %y: tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi8> {
  %sx = graph.constant dense<0.3> : tensor<f32>
  %sy = graph.constant dense<0.5> : tensor<f32>
  %sz = graph.constant dense<0.7> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %1 = graph.dequantize_linear %y, %sy, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %2 = graph.binary add %0, %1 : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %3 = graph.quantize_linear %2, %sz, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
  return %3 : tensor<1x1x2x2xi8>
}
