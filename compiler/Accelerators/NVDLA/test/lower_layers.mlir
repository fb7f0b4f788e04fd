// RUN: convoy-opt %s -split-input-file -convoy-accelerators-lower-device=device=nvdla-small | FileCheck %s

// CONV pads with the zero point 3, and 3 * (1 + 2 + 3 + 4) is subtracted from the bias. A lower bound
// that equals the zero point of the result is a relu.
// CHECK-LABEL: func.func @zero_point_is_padding_and_bias
// CHECK: %[[SUMS:.*]] = nvdla.conv %arg0, %{{.*}} {{.*}}padValue = 3 : i64
// CHECK: nvdla.sdp %[[SUMS]] {offset = 5 : i64, x1 = #nvdla.stage<alu = sum, mul = 1, aluOperand = 70, mulOperand = 9, truncate = 4, relu = 1>}
func.func @zero_point_is_padding_and_bias(%x: tensor<1x1x4x4xi8>) -> tensor<1x1x5x5xi8> {
  %w = graph.constant dense<[[[[1, 2], [3, 4]]]]> : tensor<1x1x2x2xi8>
  %b = graph.constant dense<[100]> : tensor<1xi32>
  %y = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, inputZeroPoint = 3 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [4], zeroPoint = -5, low = -5, high = 127, rounding = half_away>} : (tensor<1x1x4x4xi8>, tensor<1x1x2x2xi8>, tensor<1xi32>) -> tensor<1x1x5x5xi8>
  return %y : tensor<1x1x5x5xi8>
}

// -----

// The bias 70000 = 1 * 2^16 + 4464 takes both stages, so the upper bound needs a second SDP op.
// CHECK-LABEL: func.func @wide_bias_takes_two_stages
// CHECK: %[[HIGH:.*]] = graph.constant dense<{{\[\[}}1], [0]]> : tensor<2x1xi16>
// CHECK: %[[LOW:.*]] = graph.constant dense<{{\[\[}}4464, 9], [7, 9]]> : tensor<2x2xi16>
// CHECK: %[[Y:.*]] = nvdla.sdp %{{.*}} x1(%[[HIGH]]) x2(%[[LOW]]) {{.*}}x1 = #nvdla.stage<alu = sum, shift = 16, from = kernel>
// CHECK: nvdla.sdp %[[Y]] {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 90>}
func.func @wide_bias_takes_two_stages(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xi8> {
  %w = graph.constant dense<1> : tensor<2x1x1x1xi8>
  %b = graph.constant dense<[70000, 7]> : tensor<2xi32>
  %y = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [4], zeroPoint = 0, low = -128, high = 90, rounding = half_away>} : (tensor<1x1x4x4xi8>, tensor<2x1x1x1xi8>, tensor<2xi32>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}

// -----

// The multipliers 600 and 800 are 3 * 200 and 4 * 200: X1 multiplies the input with 3, X2 adds the
// other operand times 2^2, and the output converter multiplies with 200.
// CHECK-LABEL: func.func @sum_is_one_job
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK: nvdla.sdp %arg0 x2(%[[P]]) {offset = 0 : i64, scale = 200 : i64, shift = 10 : i64, x1 = #nvdla.stage<mul = 1, mulOperand = 3>, x2 = #nvdla.stage<alu = sum, shift = 2, from = element>}
func.func @sum_is_one_job(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %y = convcore.eltwise %x, %0 {kind = 0 : i32, lhsMultiplier = 600 : i64, rhsMultiplier = 800 : i64, requant = #convcore.requant<i8, multipliers = [1], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %y : tensor<1x8x4x4xi8>
}

// -----

// A convolution, its requantization and the pool after it are one job of three units.
// CHECK-LABEL: func.func @pool_takes_from_sdp
// CHECK: %[[S:.*]] = nvdla.sdp %{{.*}}toPdp
// CHECK-NEXT: nvdla.pdp %[[S]]
func.func @pool_takes_from_sdp(%x: tensor<1x8x8x8xi8>) -> tensor<1x8x4x4xi8> {
  %w = graph.constant dense<1> : tensor<8x8x1x1xi8>
  %0 = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x8x8xi8>, tensor<8x8x1x1xi8>) -> tensor<1x8x8x8xi8>
  %y = convcore.pool %0 {kind = 0 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x8x8x8xi8>) -> tensor<1x8x4x4xi8>
  return %y : tensor<1x8x4x4xi8>
}

// -----

// Each input of a join starts with its own atom. An input that is joined twice is copied. A convolution
// with identity weights removes the gaps between the channels of a result.
// CHECK-LABEL: func.func @join_is_by_address
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK: %[[C:.*]] = nvdla.sdp %[[P]]
// CHECK: %[[J:.*]] = nvdla.join %[[P]], %[[C]]
// CHECK: %[[D:.*]] = nvdla.conv %[[J]]
// CHECK: %[[Y:.*]] = nvdla.sdp %[[D]]
// CHECK: return %[[Y]]
func.func @join_is_by_address(%x: tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8> {
  %0 = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %y = convcore.concat %0, %0 {axis = 1 : i64} : (tensor<1x5x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8>
  return %y : tensor<1x10x4x4xi8>
}

// -----

// Stored numbers are less by 128, so the zero point 5 is -123. The bias is added before the scale, because
// the output converter applies its offset there.
// CHECK-LABEL: func.func @normalization_is_cdp
// CHECK: nvdla.table_cdp %arg0, %{{.*}} {bias = -17 : i64, farShift = 9 : i64, farStart = 1024 : i64, inOffset = -123 : i64, nearShift = 2 : i64, scale = 9 : i64, shift = 10 : i64, size = 5 : i64}
func.func @normalization_is_cdp(%x: tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %near = graph.constant dense<100> : tensor<257xi16>
  %far = graph.constant dense<90> : tensor<65xi16>
  %y = convcore.integer_lrn %x, %near, %far {size = 5 : i64, inputZeroPoint = 5 : i64, nearShift = 2 : i64, farStart = 1024 : i64, farShift = 9 : i64, bias = -17 : i64, requant = #convcore.requant<ui8, multipliers = [9], shifts = [10], zeroPoint = 128, low = 0, high = 255, rounding = half_away>} : (tensor<1x8x4x4xui8>, tensor<257xi16>, tensor<65xi16>) -> tensor<1x8x4x4xui8>
  return %y : tensor<1x8x4x4xui8>
}
