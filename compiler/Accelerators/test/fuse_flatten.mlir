// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-fuse-layers{device=nvdla-small}))' | FileCheck %s

// The device supports neither 9216 channels nor a convolution without requantization, so neither step
// alone is kept. Both steps together are.
// CHECK-LABEL: @kernel_of_the_plane_with_its_requantization
func.func @kernel_of_the_plane_with_its_requantization(%x: tensor<1x256x6x6xi8>) -> tensor<1x8xi8> {
  %w = graph.constant dense<1> : tensor<8x9216x1x1xi8>
  // CHECK: %[[Y:.*]] = convcore.conv %arg0, %{{.*}}convcore.nodes = array<i64: 0, 1, 2>{{.*}}requant = {{.*}}(tensor<1x256x6x6xi8>, tensor<8x256x6x6xi8>) -> tensor<1x8x1x1xi8>
  // CHECK-NEXT: convcore.reshape %[[Y]]
  // CHECK-NOT: convcore.requantize
  %0 = convcore.reshape %x {convcore.nodes = array<i64: 0>, shape = array<i64: 1, 9216, 1, 1>} : (tensor<1x256x6x6xi8>) -> tensor<1x9216x1x1xi8>
  %1 = convcore.conv %0, %w {convcore.nodes = array<i64: 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x9216x1x1xi8>, tensor<8x9216x1x1xi8>) -> tensor<1x8x1x1xi32>
  %2 = convcore.reshape %1 {shape = array<i64: 1, 8>} : (tensor<1x8x1x1xi32>) -> tensor<1x8xi32>
  %3 = convcore.requantize %2 {convcore.nodes = array<i64: 2>, requant = #convcore.requant<i8, multipliers = [3], shifts = [12], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8xi32>) -> tensor<1x8xi8>
  return %3 : tensor<1x8xi8>
}

// -----

// The 25088 weights of 8 kernels do not fit in the buffer as 7 x 7 kernels either.
// CHECK-LABEL: @what_fits_neither_way_stays
func.func @what_fits_neither_way_stays(%x: tensor<1x512x7x7xi8>) -> tensor<1x8x1x1xi8> {
  %w = graph.constant dense<1> : tensor<8x25088x1x1xi8>
  // CHECK: convcore.reshape %arg0
  // CHECK: convcore.conv
  // CHECK: convcore.requantize
  %0 = convcore.reshape %x {shape = array<i64: 1, 25088, 1, 1>} : (tensor<1x512x7x7xi8>) -> tensor<1x25088x1x1xi8>
  %1 = convcore.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x25088x1x1xi8>, tensor<8x25088x1x1xi8>) -> tensor<1x8x1x1xi32>
  %2 = convcore.requantize %1 {requant = #convcore.requant<i8, multipliers = [3], shifts = [12], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x1x1xi32>) -> tensor<1x8x1x1xi8>
  return %2 : tensor<1x8x1x1xi8>
}

// -----

// CHECK-LABEL: @normalization_with_its_requantization
func.func @normalization_with_its_requantization(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %near = graph.constant dense<100> : tensor<257xi16>
  %far = graph.constant dense<90> : tensor<65xi16>
  // CHECK: convcore.integer_lrn {{.*}}requant = {{.*}}-> tensor<1x8x4x4xi8>
  // CHECK-NOT: convcore.requantize
  %0 = convcore.integer_lrn %x, %near, %far {size = 5 : i64, inputZeroPoint = 3 : i64, nearShift = 2 : i64, farStart = 1024 : i64, farShift = 9 : i64, bias = -17 : i64} : (tensor<1x8x4x4xi8>, tensor<257xi16>, tensor<65xi16>) -> tensor<1x8x4x4xi32>
  %1 = convcore.requantize %0 {requant = #convcore.requant<i8, multipliers = [9], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi8>
  return %1 : tensor<1x8x4x4xi8>
}

// -----

// The reshape before the second layer carries its number (3). The requantization of the first layer, which
// the device does not support, does not inherit it.
// CHECK-LABEL: @what_stays_does_not_hold_the_next
func.func @what_stays_does_not_hold_the_next(%x: tensor<1x512x7x7xi8>) -> tensor<1x4xi8> {
  %w = graph.constant dense<1> : tensor<8x25088x1x1xi8>
  %v = graph.constant dense<1> : tensor<4x8x1x1xi8>
  // CHECK: convcore.requantize {{.*}}convcore.nodes = array<i64: 2>
  // CHECK: convcore.conv {{.*}}convcore.nodes = array<i64: 3, 4>{{.*}}requant = {{.*}}-> tensor<1x4x1x1xi8>
  %0 = convcore.reshape %x {convcore.nodes = array<i64: 0>, shape = array<i64: 1, 25088, 1, 1>} : (tensor<1x512x7x7xi8>) -> tensor<1x25088x1x1xi8>
  %1 = convcore.conv %0, %w {convcore.nodes = array<i64: 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x25088x1x1xi8>, tensor<8x25088x1x1xi8>) -> tensor<1x8x1x1xi32>
  %2 = convcore.reshape %1 {convcore.nodes = array<i64: 1>, shape = array<i64: 1, 8>} : (tensor<1x8x1x1xi32>) -> tensor<1x8xi32>
  %3 = convcore.requantize %2 {convcore.nodes = array<i64: 2>, requant = #convcore.requant<i8, multipliers = [3], shifts = [12], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8xi32>) -> tensor<1x8xi8>
  %4 = convcore.reshape %3 {convcore.nodes = array<i64: 3>, shape = array<i64: 1, 8, 1, 1>} : (tensor<1x8xi8>) -> tensor<1x8x1x1xi8>
  %5 = convcore.conv %4, %v {convcore.nodes = array<i64: 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x1x1xi8>, tensor<4x8x1x1xi8>) -> tensor<1x4x1x1xi32>
  %6 = convcore.reshape %5 {convcore.nodes = array<i64: 3>, shape = array<i64: 1, 4>} : (tensor<1x4x1x1xi32>) -> tensor<1x4xi32>
  %7 = convcore.requantize %6 {convcore.nodes = array<i64: 4>, requant = #convcore.requant<i8, multipliers = [3], shifts = [12], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x4xi32>) -> tensor<1x4xi8>
  return %7 : tensor<1x4xi8>
}
