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

// The fusion stage knows whether a template reads a matrix with a scale per block packed.
// CHECK-LABEL: func.func @packed_matrices_stay
// CHECK: graph.dequantize_linear
func.func @packed_matrices_stay(%x: tensor<1x64xf32>) -> tensor<1x16xf32> {
  %w = graph.constant dense<5> : tensor<64x16xi4>
  %s = graph.constant dense<0.5> : tensor<2x16xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x16xi4>, tensor<2x16xf32>) -> tensor<64x16xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x64xf32>, tensor<64x16xf32>) -> tensor<1x16xf32>
  return %1 : tensor<1x16xf32>
}

// CHECK-LABEL: func.func @packed_matrices_of_other_readers
// CHECK-NOT: graph.dequantize_linear
func.func @packed_matrices_of_other_readers(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %w = graph.constant dense<5> : tensor<64x16xi4>
  %s = graph.constant dense<0.5> : tensor<2x16xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x16xi4>, tensor<2x16xf32>) -> tensor<64x16xf32>
  %1 = graph.binary add %x, %0 : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}
