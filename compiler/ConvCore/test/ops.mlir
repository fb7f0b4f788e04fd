// RUN: convoy-opt %s | convoy-opt | FileCheck %s

// CHECK-LABEL: @layer_of_floats
func.func @layer_of_floats(%x: tensor<1x8x32x32xf16>, %w: tensor<16x8x3x3xf16>, %b: tensor<16xf16>,
                           %s: tensor<16xf16>) -> tensor<1x16x15x15xf16> {
  // CHECK: convcore.conv {{.*}}activation = #convcore.act<clip, low = 0.000000e+00 : f64, high = 6.000000e+00 : f64>
  %0 = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, groups = 1 : i64,
      activation = #convcore.act<clip, low = 0.0 : f64, high = 6.0 : f64>}
      : (tensor<1x8x32x32xf16>, tensor<16x8x3x3xf16>, tensor<16xf16>) -> tensor<1x16x32x32xf16>
  // CHECK: convcore.scale
  %1 = convcore.scale %0, %s, %b {activation = #convcore.act<relu>}
      : (tensor<1x16x32x32xf16>, tensor<16xf16>, tensor<16xf16>) -> tensor<1x16x32x32xf16>
  %2 = convcore.prelu %1, %s : (tensor<1x16x32x32xf16>, tensor<16xf16>) -> tensor<1x16x32x32xf16>
  // CHECK: convcore.eltwise {{.*}}kind = 0 : i32
  %3 = convcore.eltwise %2, %0 {kind = 0 : i32}
      : (tensor<1x16x32x32xf16>, tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
  // CHECK: convcore.pool {{.*}}kind = 1 : i32
  %4 = convcore.pool %3 {kind = 1 : i32, kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>} : (tensor<1x16x32x32xf16>) -> tensor<1x16x15x15xf16>
  %5 = convcore.lrn %4 {size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64}
      : (tensor<1x16x15x15xf16>) -> tensor<1x16x15x15xf16>
  %6 = convcore.activation %5 {activation = #convcore.act<leaky_relu, slope = 0.1 : f64>}
      : (tensor<1x16x15x15xf16>) -> tensor<1x16x15x15xf16>
  %7 = convcore.softmax %6 {axis = 1 : i64} : (tensor<1x16x15x15xf16>) -> tensor<1x16x15x15xf16>
  return %7 : tensor<1x16x15x15xf16>
}

// CHECK-LABEL: @layer_of_integers
func.func @layer_of_integers(%x: tensor<1x8x4x4xui8>, %w: tensor<16x8x1x1xi8>, %b: tensor<16xi32>,
                             %t: tensor<256xi8>) -> tensor<1x16x1x1xi8> {
  // CHECK: convcore.conv {{.*}}-> tensor<1x16x4x4xi32>
  %0 = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, groups = 1 : i64, inputZeroPoint = 128 : i64}
      : (tensor<1x8x4x4xui8>, tensor<16x8x1x1xi8>, tensor<16xi32>) -> tensor<1x16x4x4xi32>
  // CHECK: convcore.requantize {{.*}}#convcore.requant<i8, multipliers = [3], shifts = [5], zeroPoint = -1, low = -1, high = 127, rounding = half_away>
  %1 = convcore.requantize %0 {requant = #convcore.requant<i8, multipliers = [3], shifts = [5],
      zeroPoint = -1, low = -1, high = 127, rounding = half_away>}
      : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  %2 = convcore.lookup %1, %t : (tensor<1x16x4x4xi8>, tensor<256xi8>) -> tensor<1x16x4x4xi8>
  %3 = convcore.pool %2 {kind = 1 : i32, kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, countIncludePad = true, inputZeroPoint = -1 : i64,
      requant = #convcore.requant<i8, multipliers = [16384], shifts = [18], zeroPoint = 0,
      low = -128, high = 127, rounding = half_up>} : (tensor<1x16x4x4xi8>) -> tensor<1x16x1x1xi8>
  return %3 : tensor<1x16x1x1xi8>
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<1x8x4x4xi8>) -> tensor<16x16xi8> {
  %0 = convcore.copy %x : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = convcore.concat %0, %x {axis = 1 : i64}
      : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  %2 = convcore.transpose %1 {permutation = array<i64: 0, 1, 3, 2>}
      : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8>
  %3 = convcore.slice %2 {offsets = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 16, 4, 4>}
      : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8>
  // CHECK: convcore.rearrange {{.*}}apart = array<i64: 1, 2, 2, 4, 4, 4>, permutation = array<i64: 0, 3, 4, 1, 5, 2>, shape = array<i64: 1, 4, 8, 8>
  %5 = convcore.rearrange %3 {apart = array<i64: 1, 2, 2, 4, 4, 4>, permutation = array<i64: 0, 3, 4, 1, 5, 2>,
      shape = array<i64: 1, 4, 8, 8>} : (tensor<1x16x4x4xi8>) -> tensor<1x4x8x8xi8>
  // CHECK: convcore.reshape {{.*}}-> tensor<16x16xi8>
  %4 = convcore.reshape %5 {shape = array<i64: 16, 16>}
      : (tensor<1x4x8x8xi8>) -> tensor<16x16xi8>
  return %4 : tensor<16x16xi8>
}
