// RUN: convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-quantize-fold-weights))' | FileCheck %s

// CHECK-LABEL: func.func @weights_of_float_layers_are_floats
// CHECK: graph.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK-NOT: dequantize_linear
func.func @weights_of_float_layers_are_floats() -> tensor<2xf32> {
  %w = graph.constant dense<[1, 2]> : tensor<2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
