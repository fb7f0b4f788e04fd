// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-small | FileCheck %s

#requant = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
#relu = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = 0, high = 127, rounding = half_away>

// 6 and 12 are 1 * 6 and 2 * 6: SDP adds rhs << 1 and multiplies with 3 * 6.
// CHECK-LABEL: func.func @power_of_two_is_a_shift
// CHECK-NOT: nvdla.blend
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

// SDP has no negative factor, so CONV computes a difference.
// CHECK-LABEL: func.func @difference_is_a_blend
// CHECK: %[[SUMS:.*]] = nvdla.blend %arg0, %arg1 {lhsFactor = 1 : i64, rhsFactor = -1 : i64} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi32>
// CHECK: nvdla.sdp %[[SUMS]] {offset = 0 : i64, x1 = #nvdla.stage<mul = 1, mulOperand = 3, truncate = 4>}
func.func @difference_is_a_blend(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 1 : i32, lhsMultiplier = 1 : i64, rhsMultiplier = 1 : i64, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// The zero points 2 and 3 of the operands leave -(2 * 3 + 3 * 5) in the bias.
// CHECK-LABEL: func.func @zero_points_are_a_bias
// CHECK: nvdla.blend %arg0, %arg1 {lhsFactor = 3 : i64, rhsFactor = 5 : i64}
// CHECK: nvdla.sdp %{{.*}} {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, mul = 1, aluOperand = -21, mulOperand = 3, truncate = 4>}
func.func @zero_points_are_a_bias(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 3 : i64, rhsMultiplier = 5 : i64, lhsZeroPoint = 2 : i64, rhsZeroPoint = 3 : i64, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}
