// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-small | FileCheck %s

#requant = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
#relu = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = 0, high = 127, rounding = half_away>

// 6 and 12 are 1 * 6 and 2 * 6: SDP adds rhs << 1 and multiplies with 3 * 6.
// CHECK-LABEL: func.func @power_of_two_is_a_shift
// CHECK-NOT: nvdla.conv
// CHECK: nvdla.sdp %arg0 x1(%arg1) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, shift = 1, from = element>, x2 = #nvdla.stage<mul = 1, mulOperand = 18, truncate = 4>}
func.func @power_of_two_is_a_shift(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 6 : i64, rhsMultiplier = 12 : i64, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// The shifted operand is the one with the larger factor.
// CHECK-LABEL: func.func @left_operand_is_shifted
// CHECK: nvdla.sdp %arg1 x1(%arg0) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, shift = 2, from = element>, x2 = #nvdla.stage<mul = 1, mulOperand = 3, truncate = 4, relu = 1>}
func.func @left_operand_is_shifted(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 4 : i64, rhsMultiplier = 1 : i64, requant = #relu} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// The operand that is subtracted is the one that stage X1 multiplies.
// CHECK-LABEL: func.func @difference_has_a_negative_factor
// CHECK: nvdla.sdp %arg1 x2(%arg0) {offset = 0 : i64, scale = 3 : i64, shift = 4 : i64, x1 = #nvdla.stage<mul = 1, mulOperand = -1>, x2 = #nvdla.stage<alu = sum, from = element>}
func.func @difference_has_a_negative_factor(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 1 : i32, lhsMultiplier = 1 : i64, rhsMultiplier = 1 : i64, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// The zero points 2 and 3 of the operands leave -(2 * 3 + 3 * 8) + 7 in the sum, which the output
// converter subtracts before it multiplies.
// CHECK-LABEL: func.func @zero_points_are_an_offset
// CHECK: nvdla.sdp %arg0 x2(%arg1) {offset = 23 : i64, scale = 3 : i64, shift = 4 : i64, x1 = #nvdla.stage<mul = 1, mulOperand = 3>, x2 = #nvdla.stage<alu = sum, shift = 3, from = element>}
func.func @zero_points_are_an_offset(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 3 : i64, rhsMultiplier = 8 : i64, lhsZeroPoint = 2 : i64, rhsZeroPoint = 3 : i64, bias = 7 : i64, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// Without an offset, a relu follows the sum.
// CHECK-LABEL: func.func @relu_of_a_scaled_sum
// CHECK: nvdla.sdp %arg0 x2(%arg1) {offset = 0 : i64, scale = 3 : i64, shift = 4 : i64, x1 = #nvdla.stage<mul = 1, mulOperand = 3>, x2 = #nvdla.stage<alu = sum, shift = 3, relu = 1, from = element>}
// CHECK-NEXT: return
func.func @relu_of_a_scaled_sum(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 3 : i64, rhsMultiplier = 8 : i64, requant = #relu} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// With an offset, the bounds take a second job.
// CHECK-LABEL: func.func @relu_behind_an_offset
// CHECK: %[[SUM:.*]] = nvdla.sdp %arg0 x2(%arg1) {offset = -5 : i64
// CHECK: nvdla.sdp %[[SUM]] {offset = 0 : i64, x1 = #nvdla.stage<alu = max>}
func.func @relu_behind_an_offset(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 3 : i64, rhsMultiplier = 8 : i64, bias = 5 : i64, requant = #relu} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// PDP rounds a mean of the stored numbers by axis. The numbers of unsigned bytes are stored less 128.
// CHECK-LABEL: func.func @mean_by_axis
// CHECK: nvdla.pdp %arg0 {kernel = array<i64: 7, 7>, method = 0 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
func.func @mean_by_axis(%x: tensor<1x8x7x7xui8>) -> tensor<1x8x1x1xui8> {
  %0 = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true, inputZeroPoint = 128 : i64, byAxis} : (tensor<1x8x7x7xui8>) -> tensor<1x8x1x1xui8>
  return %0 : tensor<1x8x1x1xui8>
}
