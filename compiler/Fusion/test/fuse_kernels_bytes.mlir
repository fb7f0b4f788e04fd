// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{byte-ops=true vector-registers=8},func.func(convoy-fusion-fuse-kernels))' | FileCheck %s

// conv_bytes supports the product and its requantize, but not the conversion after them.
// CHECK-LABEL: func.func @layers_keep_their_template
// CHECK: %[[Y:.*]] = graph.kernel
// CHECK: graph.integer_matmul
// CHECK: graph.requantize
// CHECK-NEXT: graph.yield
// CHECK: graph.kernel %[[Y]]
// CHECK: graph.dequantize_linear
func.func @layers_keep_their_template(%x: tensor<1x8xi8>) -> tensor<1x4xf32> {
  %w = graph.constant dense<3> : tensor<8x4xi8>
  %b = graph.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %m = graph.constant dense<1518500250> : tensor<i32>
  %s = graph.constant dense<35> : tensor<i32>
  %step = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.integer_matmul %x, %w, %b {lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64} : (tensor<1x8xi8>, tensor<8x4xi8>, tensor<4xi32>) -> tensor<1x4xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32} : (tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi8>
  %2 = graph.dequantize_linear %1, %step {to = f32, axis = 0 : i64} : (tensor<1x4xi8>, tensor<f32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}

// -----

// No template supports the product without a bias, so the conversion joins its kernel.
// CHECK-LABEL: func.func @layers_without_template_take_the_conversion
// CHECK: graph.kernel
// CHECK: graph.integer_matmul
// CHECK: graph.requantize
// CHECK: graph.dequantize_linear
// CHECK-NOT: graph.kernel
func.func @layers_without_template_take_the_conversion(%x: tensor<1x8xi8>) -> tensor<1x4xf32> {
  %w = graph.constant dense<3> : tensor<8x4xi8>
  %m = graph.constant dense<1518500250> : tensor<i32>
  %s = graph.constant dense<35> : tensor<i32>
  %step = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.integer_matmul %x, %w {lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64} : (tensor<1x8xi8>, tensor<8x4xi8>) -> tensor<1x4xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32} : (tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi8>
  %2 = graph.dequantize_linear %1, %step {to = f32, axis = 0 : i64} : (tensor<1x4xi8>, tensor<f32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}
