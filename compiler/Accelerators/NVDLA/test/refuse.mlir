// RUN: convoy-opt %s -split-input-file -verify-diagnostics -convoy-accelerators-check-device=device=nvdla-small

func.func @sums_of_multipliers(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the multipliers reduce to 601 and 800; the device requires a power of two and 15 bits, and a zero point inside the sum}}
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 601 : i64, rhsMultiplier = 800 : i64, requant = #convcore.requant<i8, multipliers = [1], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

// With a factor, no zero point can follow the rounding.
func.func @zero_point_behind_a_factor(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the multipliers reduce to 3 and 8; the device requires}}
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 3 : i64, rhsMultiplier = 8 : i64, requant = #convcore.requant<i8, multipliers = [1], shifts = [10], zeroPoint = 1, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @mean_by_axis(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x1x1xi8> {
  // expected-error@+1 {{the device rounds the mean of the stored numbers, and the mean is relative to another number}}
  %0 = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true, inputZeroPoint = 3 : i64, byAxis} : (tensor<1x8x4x4xi8>) -> tensor<1x8x1x1xi8>
  return %0 : tensor<1x8x1x1xi8>
}

// -----

func.func @rounding(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the device supports only round half away from zero}}
  %0 = convcore.requantize %x {requant = #convcore.requant<i8, multipliers = [3], shifts = [2], zeroPoint = 0, low = -128, high = 127, rounding = half_even>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

// A group of 8 kernels with 25088 weights each has 200,704 bytes.
func.func @buffer(%x: tensor<1x512x7x7xi8>) -> tensor<1x8x1x1xi8> {
  %w = graph.constant dense<1> : tensor<8x512x7x7xi8>
  // expected-error@+1 {{do not fit in the convolution buffer of 131072 bytes}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #convcore.requant<i8, multipliers = [3], shifts = [12], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x512x7x7xi8>, tensor<8x512x7x7xi8>) -> tensor<1x8x1x1xi8>
  return %0 : tensor<1x8x1x1xi8>
}

// -----

func.func @weights(%x: tensor<1x1x1x1xi8>) -> tensor<1x1x1x1xi8> {
  %w = graph.constant dense<255> : tensor<1x1x1x1xui8>
  // expected-error@+1 {{a weight is 155 without its zero point of 100; the device supports weights in [-128, 127]}}
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, weightZeroPoint = 100 : i64, requant = #convcore.requant<i8, multipliers = [3], shifts = [12], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x1x1x1xi8>, tensor<1x1x1x1xui8>) -> tensor<1x1x1x1xi8>
  return %0 : tensor<1x1x1x1xi8>
}

// -----

func.func @batch(%x: tensor<2x8x4x4xi8>) -> tensor<2x8x4x4xi8> {
  // expected-error@+1 {{batch of pool is 2; the device supports at most 1}}
  %0 = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x8x4x4xi8>) -> tensor<2x8x4x4xi8>
  return %0 : tensor<2x8x4x4xi8>
}

// -----

func.func @even_window(%x: tensor<1x8x4x4xi8>, %near: tensor<257xi16>, %far: tensor<65xi16>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the device normalizes over 3, 5, 7 or 9 channels, and the op over 4}}
  %0 = convcore.integer_lrn %x, %near, %far {size = 4 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 1024 : i64, farShift = 9 : i64, bias = 0 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<257xi16>, tensor<65xi16>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @tables(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %t = graph.constant dense<1> : tensor<65xi16>
  // expected-error@+1 {{the device supports only constant tables of 64 and of 256 intervals}}
  %0 = convcore.integer_lrn %x, %t, %t {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 256 : i64, farShift = 9 : i64, bias = 0 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<65xi16>, tensor<65xi16>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @normalization_with_a_bound(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %near = graph.constant dense<1> : tensor<65xi16>
  %far = graph.constant dense<1> : tensor<257xi16>
  // expected-error@+1 {{the device supports neither bounds nor a zero point after the rounding of a normalization}}
  %0 = convcore.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 256 : i64, farShift = 9 : i64, bias = 0 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [10], zeroPoint = 0, low = 0, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<65xi16>, tensor<257xi16>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @normalization_with_a_large_bias(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %near = graph.constant dense<1> : tensor<65xi16>
  %far = graph.constant dense<1> : tensor<257xi16>
  // expected-error@+1 {{the bias 16777216 of the normalization has more than the device's 25 bits}}
  %0 = convcore.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 256 : i64, farShift = 9 : i64, bias = 16777216 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<65xi16>, tensor<257xi16>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}
