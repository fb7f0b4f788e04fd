// RUN: convoy-opt %s -split-input-file -verify-diagnostics -convoy-nvdla-lower-conv-core=config=nvdla-small

#requant = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
func.func @computed_weights(%x: tensor<1x1x4x4xi8>, %w: tensor<2x1x1x1xi8>) -> tensor<1x2x4x4xi8> {
  // expected-error@+1 {{'convcore.conv' op not supported by 'nv_small': the device supports only constant weights of 8 bits and constant biases}}
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #requant} : (tensor<1x1x4x4xi8>, tensor<2x1x1x1xi8>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}

// -----

func.func @sums(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x4x4xi32> {
  %w = graph.constant dense<1> : tensor<2x1x1x1xi8>
  // expected-error@+1 {{the device does not write 32-bit sums; the result needs a requantization}}
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xi8>, tensor<2x1x1x1xi8>) -> tensor<1x2x4x4xi32>
  return %y : tensor<1x2x4x4xi32>
}

// -----

#requant = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
func.func @padding(%x: tensor<1x1x4x4xi8>) -> tensor<1x2x6x6xi8> {
  %w = graph.constant dense<1> : tensor<2x1x1x1xi8>
  // expected-error@+1 {{the padding is not smaller than the kernel, which the device requires}}
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, requant = #requant} : (tensor<1x1x4x4xi8>, tensor<2x1x1x1xi8>) -> tensor<1x2x6x6xi8>
  return %y : tensor<1x2x6x6xi8>
}

// -----

#requant = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
func.func @product(%x: tensor<1x8x4x4xi8>, %y: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the device supports integer eltwise only as add and sub}}
  %0 = convcore.eltwise %x, %y {kind = 2 : i32, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

#requant = #convcore.requant<i8, multipliers = [3], shifts = [4], zeroPoint = 0, low = -128, high = 127, rounding = half_away>
func.func @twice_the_same(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the device supports eltwise only of two different tensors of the same type}}
  %0 = convcore.eltwise %x, %x {kind = 0 : i32, requant = #requant} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @rows(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x8x4xi8> {
  // expected-error@+1 {{the device supports concat only along channels}}
  %0 = convcore.concat %x, %x {axis = 2 : i64} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x8x4xi8>
  return %0 : tensor<1x8x8x4xi8>
}

// -----

func.func @one_pixel(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x1x1xi8> {
  // expected-error@+1 {{the device does not support a slice of one pixel from a larger plane}}
  %0 = convcore.slice %x {offsets = array<i64: 0, 0, 1, 1>, sizes = array<i64: 1, 8, 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x1x1xi8>
  return %0 : tensor<1x8x1x1xi8>
}

// -----

func.func @flatten(%x: tensor<1x8x2x2xi8>) -> tensor<1x32xi8> {
  // expected-error@+1 {{the device supports only reshapes that keep channels, height and width}}
  %0 = convcore.reshape %x {shape = array<i64: 1, 32>} : (tensor<1x8x2x2xi8>) -> tensor<1x32xi8>
  return %0 : tensor<1x32xi8>
}

// -----

func.func @transpose(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{the device does not support this op on integers}}
  %0 = convcore.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// -----

func.func @another_dialect(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  // expected-error@+1 {{'nvdla.sdp' op expects only convcore layers and constants in the function}}
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}
