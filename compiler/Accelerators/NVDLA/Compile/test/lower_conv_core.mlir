// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-small | FileCheck %s

#requant = #convcore.requant<ui8, multipliers = [9], shifts = [4], zeroPoint = 131, low = 131, high = 255, rounding = half_away>
#channels = #convcore.requant<i8, multipliers = [3, 5], shifts = [4, 5], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
#bounded = #convcore.requant<i8, multipliers = [9], shifts = [4], zeroPoint = 2, low = -20, high = 30, rounding = half_away>

// Stored numbers are less by 128. The input zero point 130 is 2: CONV pads with 2, and 2 * (1 + 2) is
// subtracted from the bias 10. The result zero point 131 is 3, and a lower bound of 3 is a relu.
// CHECK-LABEL: func.func @unsigned_numbers_are_stored_less_128
// CHECK: %[[SUMS:.*]] = nvdla.conv %arg0, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 2 : i64, pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 1, 1>} : (tensor<1x1x4x4xui8>, tensor<1x1x1x2xi8>) -> tensor<1x1x4x5xi32>
// CHECK: nvdla.sdp %[[SUMS]] {offset = -3 : i64, x1 = #nvdla.stage<alu = sum, mul = 1, aluOperand = 4, mulOperand = 9, truncate = 4, relu = 1>}
func.func @unsigned_numbers_are_stored_less_128(%x: tensor<1x1x4x4xui8>) -> tensor<1x1x4x5xui8> {
  %w = graph.constant dense<[[[[1, 2]]]]> : tensor<1x1x1x2xi8>
  %b = graph.constant dense<[10]> : tensor<1xi32>
  %y = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, inputZeroPoint = 130 : i64, requant = #requant} : (tensor<1x1x4x4xui8>, tensor<1x1x1x2xi8>, tensor<1xi32>) -> tensor<1x1x4x5xui8>
  return %y : tensor<1x1x4x5xui8>
}

// All channels have the largest shift, 5, so the multiplier 3 becomes 6.
// CHECK-LABEL: func.func @channels_share_one_shift
// CHECK: %[[M:.*]] = graph.constant dense<{{\[\[}}6], [5]]> : tensor<2x1xi16>
// CHECK: nvdla.sdp %{{.*}} x1(%[[M]]) {offset = 0 : i64, x1 = #nvdla.stage<mul = 1, truncate = 5, from = kernel>}
func.func @channels_share_one_shift(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xi8> {
  %w = graph.constant dense<1> : tensor<2x1x1x1xi8>
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #channels} : (tensor<1x1x4x4xi8>, tensor<2x1x1x1xi8>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}

// Both bounds and the multiplication take three stages, so the bounds are a second job, after the zero
// point has been added.
// CHECK-LABEL: func.func @bounds_take_a_second_job
// CHECK: %[[Y:.*]] = nvdla.sdp %{{.*}} {offset = -2 : i64, x1 = #nvdla.stage<mul = 1, mulOperand = 9, truncate = 4>}
// CHECK: nvdla.sdp %[[Y]] {offset = 0 : i64, x1 = #nvdla.stage<alu = max, aluOperand = -20>, x2 = #nvdla.stage<alu = min, aluOperand = 30>}
func.func @bounds_take_a_second_job(%x: tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xi8> {
  %y = convcore.requantize %x {requant = #bounded} : (tensor<1x1x4x4xi8>) -> tensor<1x1x4x4xi8>
  return %y : tensor<1x1x4x4xi8>
}

// The weight zero point is subtracted from the weights.
// CHECK-LABEL: func.func @weights_have_no_zero_point
// CHECK: graph.constant dense<-3> : tensor<2x1x1x1xi8>
// CHECK: nvdla.conv
func.func @weights_have_no_zero_point(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xi8> {
  %w = graph.constant dense<100> : tensor<2x1x1x1xui8>
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, weightZeroPoint = 103 : i64, requant = #channels} : (tensor<1x1x4x4xi8>, tensor<2x1x1x1xui8>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}
