// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-small | FileCheck %s

#mean = #convcore.requant<i8, multipliers = [7], shifts = [5], zeroPoint = 0, low = -128, high = 127, rounding = half_away>

// CHECK-LABEL: func.func @maximum_is_pdp
// CHECK: nvdla.pdp %arg0 {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
func.func @maximum_is_pdp(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %y = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %y : tensor<1x8x4x4xi8>
}

// CHECK-LABEL: func.func @minimum_is_pdp
// CHECK: nvdla.pdp %arg0 {kernel = array<i64: 2, 2>, method = 2 : i32
func.func @minimum_is_pdp(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8> {
  %y = convcore.pool %x {kind = 2 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8>
  return %y : tensor<1x8x2x2xi8>
}

// PDP would round twice, so a mean of integers is a depthwise convolution with ones. The zero point 3
// of the four elements is subtracted from each sum.
// CHECK-LABEL: func.func @integer_mean_is_a_convolution
// CHECK: %[[ONES:.*]] = graph.constant dense<1> : tensor<8x1x2x2xi8>
// CHECK: %[[SUMS:.*]] = nvdla.conv %arg0, %[[ONES]] {{.*}}groups = 8 : i64, padValue = 3 : i64
// CHECK: nvdla.sdp %[[SUMS]] {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, mul = 1, aluOperand = -12, mulOperand = 7, truncate = 5>}
func.func @integer_mean_is_a_convolution(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8> {
  %y = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true, inputZeroPoint = 3 : i64, requant = #mean} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8>
  return %y : tensor<1x8x2x2xi8>
}
