// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-fuse-layers{device=bm1880}))' | FileCheck %s

#to_bytes = #convcore.requant<ui8, multipliers = [202], shifts = [7], zeroPoint = 0, low = 0, high = 255, rounding = half_up>
#to_result = #convcore.requant<i8, multipliers = [147], shifts = [13], zeroPoint = 0, low = -128, high = 127, rounding = half_up>

// The weights of ones sum the channels before, at and behind each channel.
// CHECK-LABEL: @normalization
// CHECK: convcore.byte_lrn %arg0, %{{.*}} {{.*}}convcore.nodes = array<i64: 0, 1, 2, 3, 4, 5>, {{.*}}size = 3 : i64, sumMultiplier = 202 : i64, sumShift = 7 : i64}
// CHECK-NEXT: return
func.func @normalization(%x: tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8> {
  %s = graph.constant dense<10> : tensor<256xui8>
  %f = graph.constant dense<200> : tensor<256xui8>
  %w = graph.constant dense<[[[[1]], [[1]], [[0]]], [[[1]], [[1]], [[1]]], [[[0]], [[1]], [[1]]]]> : tensor<3x3x1x1xi8>
  %0 = convcore.lookup %x, %s {convcore.nodes = array<i64: 0>} : (tensor<1x3x4x4xi8>, tensor<256xui8>) -> tensor<1x3x4x4xui8>
  %1 = convcore.conv %0, %w {convcore.nodes = array<i64: 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x4x4xui8>, tensor<3x3x1x1xi8>) -> tensor<1x3x4x4xi32>
  %2 = convcore.requantize %1 {convcore.nodes = array<i64: 2>, requant = #to_bytes} : (tensor<1x3x4x4xi32>) -> tensor<1x3x4x4xui8>
  %3 = convcore.lookup %2, %f {convcore.nodes = array<i64: 3>} : (tensor<1x3x4x4xui8>, tensor<256xui8>) -> tensor<1x3x4x4xui8>
  %4 = convcore.eltwise %x, %3 {convcore.nodes = array<i64: 4>, kind = 2 : i32} : (tensor<1x3x4x4xi8>, tensor<1x3x4x4xui8>) -> tensor<1x3x4x4xi32>
  %5 = convcore.requantize %4 {convcore.nodes = array<i64: 5>, requant = #to_result} : (tensor<1x3x4x4xi32>) -> tensor<1x3x4x4xi8>
  return %5 : tensor<1x3x4x4xi8>
}

// -----

#to_bytes = #convcore.requant<ui8, multipliers = [202], shifts = [7], zeroPoint = 0, low = 0, high = 255, rounding = half_up>
#to_result = #convcore.requant<i8, multipliers = [147], shifts = [13], zeroPoint = 0, low = -128, high = 127, rounding = half_up>

// Weights that do not sum windows stay a convolution.
// CHECK-LABEL: @other_weights
// CHECK-NOT: convcore.byte_lrn
// CHECK: convcore.conv
func.func @other_weights(%x: tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8> {
  %s = graph.constant dense<10> : tensor<256xui8>
  %f = graph.constant dense<200> : tensor<256xui8>
  %w = graph.constant dense<[[[[1]], [[1]], [[0]]], [[[1]], [[2]], [[1]]], [[[0]], [[1]], [[1]]]]> : tensor<3x3x1x1xi8>
  %0 = convcore.lookup %x, %s : (tensor<1x3x4x4xi8>, tensor<256xui8>) -> tensor<1x3x4x4xui8>
  %1 = convcore.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x4x4xui8>, tensor<3x3x1x1xi8>) -> tensor<1x3x4x4xi32>
  %2 = convcore.requantize %1 {requant = #to_bytes} : (tensor<1x3x4x4xi32>) -> tensor<1x3x4x4xui8>
  %3 = convcore.lookup %2, %f : (tensor<1x3x4x4xui8>, tensor<256xui8>) -> tensor<1x3x4x4xui8>
  %4 = convcore.eltwise %x, %3 {kind = 2 : i32} : (tensor<1x3x4x4xi8>, tensor<1x3x4x4xui8>) -> tensor<1x3x4x4xi32>
  %5 = convcore.requantize %4 {requant = #to_result} : (tensor<1x3x4x4xi32>) -> tensor<1x3x4x4xi8>
  return %5 : tensor<1x3x4x4xi8>
}

// -----

#to_bytes = #convcore.requant<ui8, multipliers = [16384], shifts = [14], zeroPoint = 0, low = 0, high = 255, rounding = half_up>
#to_result = #convcore.requant<i8, multipliers = [147], shifts = [13], zeroPoint = 0, low = -128, high = 127, rounding = half_up>

// A multiplier with more bits than an LRN of bytes has stays a requantization.
// CHECK-LABEL: @wide_multiplier
// CHECK-NOT: convcore.byte_lrn
// CHECK: convcore.conv
func.func @wide_multiplier(%x: tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8> {
  %s = graph.constant dense<10> : tensor<256xui8>
  %f = graph.constant dense<200> : tensor<256xui8>
  %w = graph.constant dense<[[[[1]], [[1]], [[0]]], [[[1]], [[1]], [[1]]], [[[0]], [[1]], [[1]]]]> : tensor<3x3x1x1xi8>
  %0 = convcore.lookup %x, %s : (tensor<1x3x4x4xi8>, tensor<256xui8>) -> tensor<1x3x4x4xui8>
  %1 = convcore.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x4x4xui8>, tensor<3x3x1x1xi8>) -> tensor<1x3x4x4xi32>
  %2 = convcore.requantize %1 {requant = #to_bytes} : (tensor<1x3x4x4xi32>) -> tensor<1x3x4x4xui8>
  %3 = convcore.lookup %2, %f : (tensor<1x3x4x4xui8>, tensor<256xui8>) -> tensor<1x3x4x4xui8>
  %4 = convcore.eltwise %x, %3 {kind = 2 : i32} : (tensor<1x3x4x4xi8>, tensor<1x3x4x4xui8>) -> tensor<1x3x4x4xi32>
  %5 = convcore.requantize %4 {requant = #to_result} : (tensor<1x3x4x4xi32>) -> tensor<1x3x4x4xi8>
  return %5 : tensor<1x3x4x4xi8>
}
