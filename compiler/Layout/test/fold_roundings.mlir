// RUN: convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-layout-fold-roundings))' | FileCheck %s

// 2 x 127 x 255 = 64770 is below 2^16. The multiplier is odd, so only a multiple of 2^16 makes a
// product a tie at shift 17.
// CHECK-LABEL: @no_sum_makes_a_half
// CHECK: graph.requantize
// CHECK-SAME: kernel.narrow
// CHECK-SAME: rounding = 1 : i32
func.func @no_sum_makes_a_half(%x: tensor<1x2x1x1xui8>) -> tensor<1x1x1x1xui8> {
  %w = graph.constant dense<127> : tensor<1x2x1x1xi8>
  %y = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x2x1x1xui8>, %b: tensor<1x2x1x1xi8>):
    %im = graph.constant dense<3> : tensor<i32>
    %is = graph.constant dense<17> : tensor<i32>
    %0 = graph.integer_conv %a, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<1x2x1x1xui8>, tensor<1x2x1x1xi8>) -> tensor<1x1x1x1xi32>
    %1 = graph.requantize %0, %im, %is {axis = 1 : i64, to = ui8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = 2 : i32}
        : (tensor<1x1x1x1xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x1xui8>
    graph.yield %1 : tensor<1x1x1x1xui8>
  } : (tensor<1x2x1x1xui8>, tensor<1x2x1x1xi8>) -> tensor<1x1x1x1xui8>
  return %y : tensor<1x1x1x1xui8>
}

// The multiplier is even, so a multiple of 2^15 makes a tie, and the sum reaches 2^15.
// CHECK-LABEL: @a_half_stays_even
// CHECK: graph.requantize
// CHECK-SAME: rounding = 2 : i32
func.func @a_half_stays_even(%x: tensor<1x2x1x1xui8>) -> tensor<1x1x1x1xui8> {
  %w = graph.constant dense<127> : tensor<1x2x1x1xi8>
  %y = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x2x1x1xui8>, %b: tensor<1x2x1x1xi8>):
    %im = graph.constant dense<6> : tensor<i32>
    %is = graph.constant dense<17> : tensor<i32>
    %0 = graph.integer_conv %a, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<1x2x1x1xui8>, tensor<1x2x1x1xi8>) -> tensor<1x1x1x1xi32>
    %1 = graph.requantize %0, %im, %is {axis = 1 : i64, to = ui8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = 0 : i64, high = 255 : i64, rounding = 2 : i32}
        : (tensor<1x1x1x1xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x1xui8>
    graph.yield %1 : tensor<1x1x1x1xui8>
  } : (tensor<1x2x1x1xui8>, tensor<1x2x1x1xi8>) -> tensor<1x1x1x1xui8>
  return %y : tensor<1x1x1x1xui8>
}
