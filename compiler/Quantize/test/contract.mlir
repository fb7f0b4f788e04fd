// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-quantize-check-contract))'

func.func @multiplier_from_outside(%x: tensor<8xi32>, %m: tensor<i32>) -> tensor<8xi8> {
  // expected-error@+1 {{has a multiplier or shift that is not constant}}
  %0 = graph.requantize %x, %m, %m {axis = 0 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32}
      : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

func.func @table_from_outside(%x: tensor<8xi8>, %t: tensor<256xi8>) -> tensor<8xi8> {
  // expected-error@+1 {{has a table that is not constant}}
  %0 = graph.lookup %x, %t : (tensor<8xi8>, tensor<256xi8>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// -----

func.func @weights_left_over() -> tensor<2xf32> {
  %w = graph.constant dense<[1, 2]> : tensor<2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  // expected-error@+1 {{dequantizes a constant; expected convoy-quantize-fold-weights to have folded it}}
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
