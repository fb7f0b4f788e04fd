// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-accelerators-check-device{device=example}))'

func.func @names_the_limit(%x: tensor<1x2x9x9xf32>, %w: tensor<2x2x8x8xf32>) -> tensor<1x2x2x2xf32> {
  // expected-error@+1 {{not supported by 'example': kernel height of conv is 8; the device supports at most 7}}
  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x9x9xf32>, tensor<2x2x8x8xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// -----

func.func @names_the_type(%x: tensor<1x2x9x9xf16>) -> tensor<1x2x9x9xf16> {
  // expected-error@+1 {{not supported by 'example': eltwise has element type float16; the device supports float}}
  %y = convcore.eltwise %x, %x {kind = 0 : i32} : (tensor<1x2x9x9xf16>, tensor<1x2x9x9xf16>) -> tensor<1x2x9x9xf16>
  return %y : tensor<1x2x9x9xf16>
}

// -----

func.func @names_the_op(%x: tensor<1x2x9x9xf32>) -> tensor<1x2x9x9xf32> {
  // expected-error@+1 {{not supported by 'example': the device does not support softmax}}
  %y = convcore.softmax %x {axis = 1 : i64} : (tensor<1x2x9x9xf32>) -> tensor<1x2x9x9xf32>
  return %y : tensor<1x2x9x9xf32>
}
