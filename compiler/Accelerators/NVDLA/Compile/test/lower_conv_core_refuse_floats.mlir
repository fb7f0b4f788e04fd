// RUN: convoy-opt %s -split-input-file -verify-diagnostics -convoy-nvdla-lower-conv-core=config=nvdla-full

func.func @difference(%x: tensor<1x8x4x4xf16>, %y: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  // expected-error@+1 {{not supported by 'nv_full': the device does not support sub on floats}}
  %0 = convcore.eltwise %x, %y {kind = 1 : i32} : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0 : tensor<1x8x4x4xf16>
}

// -----

func.func @constant_operand(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %c = graph.constant dense<1.0> : tensor<1x8x4x4xf16>
  // expected-error@+1 {{an operand is constant; the device supports only computed operands}}
  %0 = convcore.eltwise %x, %c {kind = 0 : i32} : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0 : tensor<1x8x4x4xf16>
}

// -----

func.func @leaky_relu(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  // expected-error@+1 {{the device supports only the float activations relu, clip, sigmoid and tanh}}
  %0 = convcore.activation %x {activation = #convcore.act<leaky_relu, slope = 0.1 : f64>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0 : tensor<1x8x4x4xf16>
}

// -----

func.func @mean_without_padding(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  // expected-error@+1 {{the device counts padding in a mean, and this mean does not}}
  %0 = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0 : tensor<1x8x4x4xf16>
}

// -----

func.func @rising_normalization(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  // expected-error@+1 {{the device supports lrn only with positive bias, alpha and beta}}
  %0 = convcore.lrn %x {size = 5 : i64, alpha = 1.0e-4 : f64, beta = -0.75 : f64, bias = 1.0 : f64} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0 : tensor<1x8x4x4xf16>
}

// -----

func.func @softmax(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  // expected-error@+1 {{the device does not support this op on floats}}
  %0 = convcore.softmax %x {axis = 1 : i64} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0 : tensor<1x8x4x4xf16>
}

// -----

func.func @batch(%x: tensor<2x8x4x4xf16>) -> tensor<2x8x4x4xf16> {
  // expected-error@+1 {{the device supports only tensors 1 x C x H x W or 1 x C}}
  %0 = convcore.activation %x {activation = #convcore.act<relu>} : (tensor<2x8x4x4xf16>) -> tensor<2x8x4x4xf16>
  return %0 : tensor<2x8x4x4xf16>
}
