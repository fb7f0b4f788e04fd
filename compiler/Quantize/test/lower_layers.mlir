// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers))' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=16 rounding=half_up}))' 2>/dev/null | FileCheck %s --check-prefix=NARROW

// The bias is 0.1 / (0.5 * 0.25) = 0.8 and -2 / (0.5 * 0.5) = -8 steps; 6 is
// 6 / 0.125 - 128 = -80.
// CHECK-LABEL: func.func @conv_with_clip
// CHECK: %[[B:.*]] = graph.constant dense<[1, -8]> : tensor<2xi32>
// CHECK: %[[SUMS:.*]] = graph.integer_conv %arg0, {{.*}}, %[[B]] {{.*}}inputZeroPoint = 3 : i64{{.*}}weightZeroPoint = 0 : i64
// CHECK: %[[M:.*]] = graph.constant dense<1073741824> : tensor<2xi32>
// CHECK: %[[S:.*]] = graph.constant dense<[30, 29]> : tensor<2xi32>
// CHECK: graph.requantize %[[SUMS]], %[[M]], %[[S]] {axis = 1 : i64, high = -80 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 2 : i32, to = i8, zeroPoint = -128 : i64}
// NARROW-LABEL: func.func @conv_with_clip
// NARROW-DAG: graph.constant dense<32768> : tensor<2xi32>
// NARROW-DAG: graph.constant dense<[15, 14]> : tensor<2xi32>
// NARROW: graph.requantize {{.*}}rounding = 1 : i32
func.func @conv_with_clip(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x2x2xi8> {
  %w = graph.constant dense<1> : tensor<2x1x3x3xi8>
  %sx = graph.constant dense<0.5> : tensor<f32>
  %zx = graph.constant dense<3> : tensor<i8>
  %sw = graph.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %b = graph.constant dense<[0.1, -2.0]> : tensor<2xf32>
  %sy = graph.constant dense<0.125> : tensor<f32>
  %zy = graph.constant dense<-128> : tensor<i8>
  %low = graph.constant dense<0.0> : tensor<f32>
  %high = graph.constant dense<6.0> : tensor<f32>
  %0 = graph.dequantize_linear %x, %sx, %zx {to = f32, axis = 0 : i64} : (tensor<1x1x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x1x4x4xf32>
  %1 = graph.dequantize_linear %w, %sw {to = f32, axis = 0 : i64} : (tensor<2x1x3x3xi8>, tensor<2xf32>) -> tensor<2x1x3x3xf32>
  %2 = graph.conv %0, %1, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %3 = graph.binary max %2, %low : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %4 = graph.binary min %3, %high : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %5 = graph.quantize_linear %4, %sy, %zy {to = i8, axis = 0 : i64} : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  return %5 : tensor<1x2x2x2xi8>
}

// -----

// CHECK-LABEL: func.func @product_that_stays_open
// CHECK: %[[SUMS:.*]] = graph.integer_matmul %arg0
// CHECK: graph.dequantize_linear %[[SUMS]], {{.*}} -> tensor<1x2xf32>
func.func @product_that_stays_open(%x: tensor<1x3xui8>) -> tensor<1x2xf32> {
  %w = graph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %b = graph.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x3xui8>, tensor<f32>) -> tensor<1x3xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<3x2xi8>, tensor<f32>) -> tensor<3x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  %3 = graph.binary add %2, %b : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
}

// -----

// 0.5 / 1.0 and 0.25 / 1.0 with 21 bits.
// CHECK-LABEL: func.func @sum_of_two
// CHECK: graph.integer_add %arg0, %arg1 {high = 127 : i64, lhsMultiplier = 1048576 : i64, lhsZeroPoint = 3 : i64, low = 0 : i64, rhsMultiplier = 524288 : i64, rhsZeroPoint = 128 : i64, rounding = 2 : i32, shift = 21 : i64, to = i8, zeroPoint = 0 : i64}
func.func @sum_of_two(%x: tensor<8xi8>, %y: tensor<8xui8>) -> tensor<8xi8> {
  %sx = graph.constant dense<0.5> : tensor<f32>
  %zx = graph.constant dense<3> : tensor<i8>
  %sy = graph.constant dense<0.25> : tensor<f32>
  %zy = graph.constant dense<128> : tensor<ui8>
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.dequantize_linear %x, %sx, %zx {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>, tensor<i8>) -> tensor<8xf32>
  %1 = graph.dequantize_linear %y, %sy, %zy {to = f32, axis = 0 : i64} : (tensor<8xui8>, tensor<f32>, tensor<ui8>) -> tensor<8xf32>
  %2 = graph.binary add %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.unary relu %2 : (tensor<8xf32>) -> tensor<8xf32>
  %4 = graph.quantize_linear %3, %one {to = i8, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi8>
  return %4 : tensor<8xi8>
}

// -----

// The multiplier of a mean over 4 x 4 includes the divisor: 1 / 16 = 2^30 / 2^34.
// CHECK-LABEL: func.func @mean_of_space
// CHECK: %[[SUMS:.*]] = graph.integer_sum_pool %arg0 {{.*}}kernel = array<i64: 4, 4>
// CHECK: graph.constant dense<1073741824> : tensor<i32>
// CHECK: graph.constant dense<34> : tensor<i32>
// CHECK: graph.requantize %[[SUMS]]
func.func @mean_of_space(%x: tensor<1x8x4x4xui8>) -> tensor<1x8x1x1xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %axes = graph.constant dense<[2, 3]> : tensor<2xi64>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x8x4x4xui8>, tensor<f32>) -> tensor<1x8x4x4xf32>
  %1 = graph.reduce mean %0 over %axes {keepDims = true} : (tensor<1x8x4x4xf32>, tensor<2xi64>) -> tensor<1x8x1x1xf32>
  %2 = graph.quantize_linear %1, %s {to = ui8, axis = 0 : i64} : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<1x8x1x1xui8>
  return %2 : tensor<1x8x1x1xui8>
}

// -----

// x * sigmoid(x) depends on one element.
// CHECK-LABEL: func.func @swish_is_a_table
// CHECK: graph.lookup %arg0, {{.*}} : (tensor<8xi8>, tensor<256xi8>) -> tensor<8xi8>
func.func @swish_is_a_table(%x: tensor<8xi8>) -> tensor<8xi8> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.unary sigmoid %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.binary mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.quantize_linear %2, %s {to = i8, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi8>
  return %3 : tensor<8xi8>
}

// -----

// CHECK-LABEL: func.func @softmax_needs_no_float
// CHECK-NOT: f32
// CHECK: graph.gather
// CHECK: graph.reduce sum
// CHECK: graph.binary div
// CHECK-NOT: f32
func.func @softmax_needs_no_float(%x: tensor<1x10xi8>) -> tensor<1x10xi8> {
  %s = graph.constant dense<0.1> : tensor<f32>
  %sy = graph.constant dense<0.00390625> : tensor<f32>
  %zy = graph.constant dense<-128> : tensor<i8>
  %axes = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x10xi8>, tensor<f32>) -> tensor<1x10xf32>
  %1 = graph.reduce max %0 over %axes {keepDims = true} : (tensor<1x10xf32>, tensor<1xi64>) -> tensor<1x1xf32>
  %2 = graph.binary sub %0, %1 : (tensor<1x10xf32>, tensor<1x1xf32>) -> tensor<1x10xf32>
  %3 = graph.unary exp %2 : (tensor<1x10xf32>) -> tensor<1x10xf32>
  %4 = graph.reduce sum %3 over %axes {keepDims = true} : (tensor<1x10xf32>, tensor<1xi64>) -> tensor<1x1xf32>
  %5 = graph.binary div %3, %4 : (tensor<1x10xf32>, tensor<1x1xf32>) -> tensor<1x10xf32>
  %6 = graph.quantize_linear %5, %sy, %zy {to = i8, axis = 0 : i64} : (tensor<1x10xf32>, tensor<f32>, tensor<i8>) -> tensor<1x10xi8>
  return %6 : tensor<1x10xi8>
}

// -----

// A requantization to the same scale is removed.
// CHECK-LABEL: func.func @nothing_happens
// CHECK: return %arg0
func.func @nothing_happens(%x: tensor<8xi8>) -> tensor<8xi8> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.quantize_linear %0, %s {to = i8, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi8>
  return %1 : tensor<8xi8>
}

// -----

// CHECK-LABEL: func.func @concat_rescales_its_inputs
// CHECK: %[[A:.*]] = graph.requantize %arg0
// CHECK: graph.concat %[[A]], %arg1
func.func @concat_rescales_its_inputs(%x: tensor<8xi8>, %y: tensor<8xi8>) -> tensor<16xi8> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %t = graph.constant dense<0.1> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.dequantize_linear %y, %t {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %2 = graph.concat %0, %1 {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %3 = graph.quantize_linear %2, %t {to = i8, axis = 0 : i64} : (tensor<16xf32>, tensor<f32>) -> tensor<16xi8>
  return %3 : tensor<16xi8>
}

// -----

// QLinearConv as Import writes it. The weights minus their zero point do not fit in i8, so the layer
// stores them with the zero point 23.
// CHECK-LABEL: func.func @qlinear_conv
// CHECK: %[[SUMS:.*]] = graph.integer_conv %arg0, {{.*}} {{.*}}inputZeroPoint = 3 : i64{{.*}}weightZeroPoint = 23 : i64{{.*}}(tensor<1x1x4x4xui8>, tensor<1x1x1x2xi8>)
// CHECK: graph.requantize %[[SUMS]]
func.func @qlinear_conv(%x: tensor<1x1x4x4xui8>) -> tensor<1x1x4x3xui8> {
  %w = graph.constant dense<[[[[-151, 104]]]]> : tensor<1x1x1x2xi32>
  %zx = graph.constant dense<3> : tensor<i32>
  %m = graph.constant dense<0.01> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %zy = graph.constant dense<9> : tensor<ui8>
  %0 = graph.cast %x {to = i32} : (tensor<1x1x4x4xui8>) -> tensor<1x1x4x4xi32>
  %1 = graph.binary sub %0, %zx : (tensor<1x1x4x4xi32>, tensor<i32>) -> tensor<1x1x4x4xi32>
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x4x3xi32>
  %3 = graph.cast %2 {to = f32} : (tensor<1x1x4x3xi32>) -> tensor<1x1x4x3xf32>
  %4 = graph.binary mul %3, %m : (tensor<1x1x4x3xf32>, tensor<f32>) -> tensor<1x1x4x3xf32>
  %5 = graph.quantize_linear %4, %one, %zy {to = ui8, axis = 0 : i64} : (tensor<1x1x4x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x1x4x3xui8>
  return %5 : tensor<1x1x4x3xui8>
}

// -----

// QLinearMatMul as Import writes it. Weights minus their zero point that fit i8 become i8 weights
// with zero point 0.
// CHECK-LABEL: func.func @qlinear_matmul
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[}}-127, 3], [127, 0]]> : tensor<2x2xi8>
// CHECK: %[[SUMS:.*]] = graph.integer_matmul %arg0, %[[W]] {lhsZeroPoint = 3 : i64, rhsZeroPoint = 0 : i64}
// CHECK: graph.requantize %[[SUMS]]
func.func @qlinear_matmul(%x: tensor<4x2xui8>) -> tensor<4x2xui8> {
  %w = graph.constant dense<[[1, 131], [255, 128]]> : tensor<2x2xui8>
  %zx = graph.constant dense<3> : tensor<ui8>
  %zw = graph.constant dense<128> : tensor<ui8>
  %m = graph.constant dense<0.01> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %zy = graph.constant dense<9> : tensor<ui8>
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<4x2xui8>, tensor<2x2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<4x2xi32>
  %1 = graph.cast %0 {to = f32} : (tensor<4x2xi32>) -> tensor<4x2xf32>
  %2 = graph.binary mul %1, %m : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %3 = graph.quantize_linear %2, %one, %zy {to = ui8, axis = 0 : i64} : (tensor<4x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x2xui8>
  return %3 : tensor<4x2xui8>
}

// -----

// CHECK-LABEL: func.func @uneven_average_stays
// CHECK: graph.average_pool
func.func @uneven_average_stays(%x: tensor<1x1x4x4xui8>) -> tensor<1x1x4x4xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x1x4x4xui8>, tensor<f32>) -> tensor<1x1x4x4xf32>
  // expected-remark@+1 {{stays in floating point: the windows contain different numbers of elements}}
  %1 = graph.average_pool %0 {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  %2 = graph.quantize_linear %1, %s {to = ui8, axis = 0 : i64} : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xui8>
  return %2 : tensor<1x1x4x4xui8>
}

// -----

// CHECK-LABEL: func.func @unknown_scales_stay
// CHECK: graph.binary add
func.func @unknown_scales_stay(%x: tensor<8xi8>, %y: tensor<8xi8>, %s: tensor<f32>) -> tensor<8xi8> {
  %t = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.dequantize_linear %y, %t {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  // expected-remark@+1 {{stays in floating point: there is no integer lowering for graph.binary}}
  %2 = graph.binary add %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.quantize_linear %2, %t {to = i8, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi8>
  return %3 : tensor<8xi8>
}

// -----

// The channels need different zero points: -200 to 55 and 0 to 255. They are a vector beside a bias of
// zeros.
// CHECK-LABEL: func.func @zero_points_per_channel
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[}}{{\[\[\[}}-128, 127{{.*}}-128, 127{{.*}}> : tensor<2x1x1x2xi8>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<0> : tensor<2xi32>
// CHECK-DAG: %[[Z:.*]] = graph.constant dense<[72, -128]> : tensor<2xi32>
// CHECK: graph.integer_conv %arg0, %[[W]], %[[B]], %[[Z]] {{.*}}weightZeroPoint = 0 : i64
func.func @zero_points_per_channel(%x: tensor<1x1x4x4xui8>) -> tensor<1x2x4x3xui8> {
  %w = graph.constant dense<[[[[0, 255]]], [[[0, 255]]]]> : tensor<2x1x1x2xui8>
  %zw = graph.constant dense<[200, 0]> : tensor<2xui8>
  %sw = graph.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.dequantize_linear %x, %s, %z {to = f32, axis = 1 : i64} : (tensor<1x1x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x1x4x4xf32>
  %1 = graph.dequantize_linear %w, %sw, %zw {to = f32, axis = 0 : i64} : (tensor<2x1x1x2xui8>, tensor<2xf32>, tensor<2xui8>) -> tensor<2x1x1x2xf32>
  %2 = graph.conv %0, %1 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<2x1x1x2xf32>) -> tensor<1x2x4x3xf32>
  %3 = graph.quantize_linear %2, %s, %z {to = ui8, axis = 1 : i64} : (tensor<1x2x4x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x3xui8>
  return %3 : tensor<1x2x4x3xui8>
}
