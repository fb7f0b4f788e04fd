// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-fuse-layers{device=nvdla-small}))' | FileCheck %s

// 9362 is floor(2^16 / 7). The mean is relative to 128, the offset of stored bytes.
// CHECK-LABEL: @mean_by_axis
// CHECK: %[[Y:.*]] = convcore.pool %arg0 {byAxis, convcore.nodes = array<i64: 0, 1, 2>, {{.*}} -> tensor<1x8x1x1xui8>
// CHECK-NEXT: return %[[Y]]
func.func @mean_by_axis(%x: tensor<1x8x7x7xui8>) -> tensor<1x8x1x1xui8> {
  %0 = convcore.pool %x {convcore.nodes = array<i64: 0>, kind = 1 : i32, kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true, inputZeroPoint = 128 : i64} : (tensor<1x8x7x7xui8>) -> tensor<1x8x1x1xi32>
  %1 = convcore.requantize %0 {convcore.nodes = array<i64: 1>, requant = #convcore.requant<i32, multipliers = [9362], shifts = [16], zeroPoint = 0, low = -2147483648, high = 2147483647, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xi32>
  %2 = convcore.requantize %1 {convcore.nodes = array<i64: 2>, requant = #convcore.requant<ui8, multipliers = [9362], shifts = [16], zeroPoint = 128, low = 0, high = 255, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xui8>
  return %2 : tensor<1x8x1x1xui8>
}

// -----

// A device that rounds by axis truncates 2^16 / 7.
// CHECK-LABEL: @other_factor_stays_apart
// CHECK-NOT: byAxis
// CHECK-COUNT-2: convcore.requantize
func.func @other_factor_stays_apart(%x: tensor<1x8x7x7xi8>) -> tensor<1x8x1x1xi8> {
  %0 = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true} : (tensor<1x8x7x7xi8>) -> tensor<1x8x1x1xi32>
  %1 = convcore.requantize %0 {requant = #convcore.requant<i32, multipliers = [9363], shifts = [16], zeroPoint = 0, low = -2147483648, high = 2147483647, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xi32>
  %2 = convcore.requantize %1 {requant = #convcore.requant<i8, multipliers = [9362], shifts = [16], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xi8>
  return %2 : tensor<1x8x1x1xi8>
}

// -----

// PDP averages stored numbers, so a mean relative to another number stays apart.
// CHECK-LABEL: @other_origin_stays_apart
// CHECK-NOT: byAxis
// CHECK-COUNT-2: convcore.requantize
func.func @other_origin_stays_apart(%x: tensor<1x8x7x7xi8>) -> tensor<1x8x1x1xi8> {
  %0 = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, countIncludePad = true, inputZeroPoint = 3 : i64} : (tensor<1x8x7x7xi8>) -> tensor<1x8x1x1xi32>
  %1 = convcore.requantize %0 {requant = #convcore.requant<i32, multipliers = [9362], shifts = [16], zeroPoint = 0, low = -2147483648, high = 2147483647, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xi32>
  %2 = convcore.requantize %1 {requant = #convcore.requant<i8, multipliers = [9362], shifts = [16], zeroPoint = 3, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xi8>
  return %2 : tensor<1x8x1x1xi8>
}

// -----

// CHECK-LABEL: @sum_keeps_its_bias
// CHECK: convcore.eltwise %arg0, %arg1 {bias = 77 : i64, {{.*}}requant = #convcore.requant<i8
// CHECK-NEXT: return
func.func @sum_keeps_its_bias(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.eltwise %x, %y {kind = 0 : i32, lhsMultiplier = 19661 : i64, rhsMultiplier = 32768 : i64, bias = 77 : i64} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi32>
  %1 = convcore.requantize %0 {requant = #convcore.requant<i8, multipliers = [23406], shifts = [30], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi8>
  return %1 : tensor<1x8x4x4xi8>
}
