// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers{multiplier-bits=8 rounding=half_up shifts-only=true}))' | FileCheck %s

// The weights 1.0 and -0.25 have the scale 0.1 / 2^shift. With shift 3 they are exactly 80 and
// -20; a larger shift would saturate 1.0. The scale of the sums is 0.0125, so the bias 0.05 is 4.
// CHECK-LABEL: func.func @weights_are_rounded_to_a_shift
// CHECK-DAG: graph.constant dense<{{\[\[\[\[}}80]]], {{\[\[\[}}-20]]]]> : tensor<2x1x1x1xi8>
// CHECK-DAG: graph.constant dense<[4, 0]> : tensor<2xi32>
// CHECK-DAG: graph.constant dense<128> : tensor<i32>
// CHECK-DAG: graph.constant dense<10> : tensor<i32>
// CHECK: graph.requantize {{.*}}rounding = 1 : i32
// expected-warning@+1 {{rescaling by shifts changes the weights of 1 layers by up to 0.00 % of their norm; run `convoy check --layer-errors` to see the effect on each layer}}
func.func @weights_are_rounded_to_a_shift(%x: tensor<1x1x2x2xi8>) -> tensor<1x2x2x2xi8> {
  %w = graph.constant dense<[[[[100]]], [[[-50]]]]> : tensor<2x1x1x1xi8>
  %b = graph.constant dense<[0.05, 0.0]> : tensor<2xf32>
  %sx = graph.constant dense<1.0> : tensor<f32>
  %sw = graph.constant dense<[0.01, 0.005]> : tensor<2xf32>
  %sy = graph.constant dense<0.1> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx {to = f32, axis = 0 : i64} : (tensor<1x1x2x2xi8>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %1 = graph.dequantize_linear %w, %sw {to = f32, axis = 0 : i64} : (tensor<2x1x1x1xi8>, tensor<2xf32>) -> tensor<2x1x1x1xf32>
  %2 = graph.conv %0, %1, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %3 = graph.quantize_linear %2, %sy, %zero {to = i8, axis = 0 : i64} : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  return %3 : tensor<1x2x2x2xi8>
}
