// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=15 rounding=half_away one-shift=true axis-average-limit=3 shift-addend=true}))' | FileCheck %s

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

// The sums are of the numbers that a device stores: bytes less 128.
// CHECK-LABEL: func.func @average_of_unsigned_bytes
// CHECK: graph.integer_sum_pool %arg0 {{.*}}inputZeroPoint = 128 : i64
// CHECK: graph.requantize {{.*}}to = i32, zeroPoint = 0 : i64
// CHECK: %[[MEAN:.*]] = graph.requantize {{.*}}to = ui8, zeroPoint = 128 : i64
// CHECK: return %[[MEAN]]
func.func @average_of_unsigned_bytes(%x: tensor<1x1x2x2xui8>) -> tensor<1x1x1x1xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<3> : tensor<ui8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x2x2xf32>
  %1 = graph.average_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = ui8, axis = 0 : i64} : (tensor<1x1x1x1xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x1x1x1xui8>
  return %2 : tensor<1x1x1x1xui8>
}

// -----

// A window of more than 3 columns is rounded once, and so is one whose padding is not stored as 0.
// CHECK-LABEL: func.func @averages_with_one_rounding
// CHECK-COUNT-2: graph.requantize
// CHECK-NOT: graph.requantize
func.func @averages_with_one_rounding(%x: tensor<1x1x2x4xi8>) -> (tensor<1x1x1x1xi8>, tensor<1x1x3x5xi8>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<3> : tensor<i8>
  %0 = graph.dequantize_linear %x, %s, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x4xf32>
  %1 = graph.average_pool %0 {kernel = array<i64: 2, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false} : (tensor<1x1x2x4xf32>) -> tensor<1x1x1x1xf32>
  %2 = graph.quantize_linear %1, %s, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x1x1xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x1x1xi8>
  %3 = graph.average_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = true} : (tensor<1x1x2x4xf32>) -> tensor<1x1x3x5xf32>
  %4 = graph.quantize_linear %3, %s, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x3x5xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x3x5xi8>
  return %2, %4 : tensor<1x1x1x1xi8>, tensor<1x1x3x5xi8>
}

// -----

// 0.3 to 0.5 is 19661 to 2^15. integer_add has twice these numbers and a shift of one bit. The sum
// times 23406 / 2^30 is in steps of 0.7.
// CHECK-LABEL: func.func @addition_shifts_one_operand
// CHECK: %[[SUM:.*]] = graph.integer_add {{.*}}lhsMultiplier = 39322 : i64{{.*}}rhsMultiplier = 65536 : i64{{.*}}shift = 1 : i64, to = i32, zeroPoint = 0 : i64
// CHECK: %[[M:.*]] = graph.constant dense<23406> : tensor<i32>
// CHECK: %[[S:.*]] = graph.constant dense<30> : tensor<i32>
// CHECK: graph.requantize %[[SUM]], %[[M]], %[[S]] {{.*}}zeroPoint = 0 : i64
func.func @addition_shifts_one_operand(%x: tensor<1x1x2x2xi8>, %y: tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi8> {
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

// -----

// The real zero of the result is stored as -128, so the sum contains -128 * 2^30 / 23406. 128, by
// which bytes exceed stored numbers, follows the rounding.
// CHECK-LABEL: func.func @zero_point_inside_the_sum
// CHECK: graph.integer_add {{.*}}to = i32, zeroPoint = -5871954 : i64
// CHECK: graph.requantize {{.*}}zeroPoint = 128 : i64
func.func @zero_point_inside_the_sum(%x: tensor<1x1x2x2xui8>, %y: tensor<1x1x2x2xui8>) -> tensor<1x1x2x2xui8> {
  %sx = graph.constant dense<0.3> : tensor<f32>
  %sy = graph.constant dense<0.5> : tensor<f32>
  %sz = graph.constant dense<0.7> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<ui8>
  %0 = graph.dequantize_linear %x, %sx, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x2x2xf32>
  %1 = graph.dequantize_linear %y, %sy, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x2x2xf32>
  %2 = graph.binary add %0, %1 : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %3 = graph.quantize_linear %2, %sz, %zero {to = ui8, axis = 0 : i64} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x1x2x2xui8>
  return %3 : tensor<1x1x2x2xui8>
}

// -----

// The operand that is subtracted is multiplied: 0.5 to 0.3 is 27307 to 2^14.
// CHECK-LABEL: func.func @difference_shifts_the_left_operand
// CHECK: graph.integer_add {{.*}}lhsMultiplier = 32768 : i64{{.*}}rhsMultiplier = -54614 : i64{{.*}}to = i32
func.func @difference_shifts_the_left_operand(%x: tensor<1x1x2x2xi8>, %y: tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi8> {
  %sx = graph.constant dense<0.3> : tensor<f32>
  %sy = graph.constant dense<0.5> : tensor<f32>
  %sz = graph.constant dense<0.7> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %1 = graph.dequantize_linear %y, %sy, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %2 = graph.binary sub %0, %1 : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %3 = graph.quantize_linear %2, %sz, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
  return %3 : tensor<1x1x2x2xi8>
}

// -----

// Scales that differ by a power of two need no factor, so the zero point follows the rounding.
// CHECK-LABEL: func.func @powers_of_two_are_shifts
// CHECK: graph.integer_add {{.*}}lhsMultiplier = 13107 : i64{{.*}}rhsMultiplier = 26214 : i64{{.*}}shift = 15 : i64, to = i8, zeroPoint = 3 : i64
func.func @powers_of_two_are_shifts(%x: tensor<1x1x2x2xi8>, %y: tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi8> {
  %sx = graph.constant dense<0.25> : tensor<f32>
  %sy = graph.constant dense<0.5> : tensor<f32>
  %sz = graph.constant dense<0.625> : tensor<f32>
  %zero = graph.constant dense<3> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %1 = graph.dequantize_linear %y, %sy, %zero {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xf32>
  %2 = graph.binary add %0, %1 : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %3 = graph.quantize_linear %2, %sz, %zero {to = i8, axis = 0 : i64} : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x1x2x2xi8>
  return %3 : tensor<1x1x2x2xi8>
}
