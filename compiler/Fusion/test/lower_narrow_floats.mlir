// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},func.func(convoy-fusion-lower-narrow-floats))' | FileCheck %s

// Only inputs, outputs and weights keep their type. The values between the ops are not rounded.
// CHECK-LABEL: @float_between_casts
// CHECK: %[[W:.*]] = graph.constant dense<5.000000e-01> : tensor<16x16x1x1xf16>
// CHECK: %[[X:.*]] = graph.cast %arg0 {{.*}} (tensor<1x16x4x4xf16>) -> tensor<1x16x4x4xf32>
// CHECK: %[[V:.*]] = graph.cast %[[W]] {{.*}} -> tensor<16x16x1x1xf32>
// CHECK: %[[B:.*]] = graph.constant dense<1.000000e+00> : tensor<16xf32>
// CHECK: %[[C:.*]] = graph.conv %[[X]], %[[V]], %[[B]]
// CHECK: %[[P:.*]], %{{.*}} = graph.max_pool %[[C]] {{.*}} -> (tensor<1x16x2x2xf32>, tensor<1x16x2x2xi64>)
// CHECK: %[[T:.*]] = graph.transpose %[[P]] {{.*}} -> tensor<1x2x2x16xf32>
// CHECK: %[[Y:.*]] = graph.cast %[[T]] {{.*}} -> tensor<1x2x2x16xf16>
// CHECK: return %[[Y]]
func.func @float_between_casts(%x: tensor<1x16x4x4xf16>) -> tensor<1x2x2x16xf16> {
  %w = graph.constant dense<0.5> : tensor<16x16x1x1xf16>
  %b = graph.constant dense<1.0> : tensor<16xf16>
  %0 = graph.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x4x4xf16>, tensor<16x16x1x1xf16>, tensor<16xf16>) -> tensor<1x16x4x4xf16>
  %1, %i = "graph.max_pool"(%0) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, columnMajor = false} : (tensor<1x16x4x4xf16>) -> (tensor<1x16x2x2xf16>, tensor<1x16x2x2xi64>)
  %2 = graph.transpose %1 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x16x2x2xf16>) -> tensor<1x2x2x16xf16>
  return %2 : tensor<1x2x2x16xf16>
}

// -----

// CHECK-LABEL: @bfloats
// CHECK: graph.matmul {{.*}} (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
// CHECK: graph.cast {{.*}} -> tensor<4x16xbf16>
func.func @bfloats(%x: tensor<4x16xbf16>) -> tensor<4x16xbf16> {
  %w = graph.constant dense<0.5> : tensor<16x16xbf16>
  %0 = graph.matmul %x, %w : (tensor<4x16xbf16>, tensor<16x16xbf16>) -> tensor<4x16xbf16>
  return %0 : tensor<4x16xbf16>
}

// -----

// No template supports a transposed convolution, so its weights are converted at compile time.
// CHECK-LABEL: @weights_without_a_template
// CHECK-NOT: tensor<16x16x2x2xf16>
// CHECK: graph.conv_transpose {{.*}} : (tensor<1x16x4x4xf32>, tensor<16x16x2x2xf32>) -> tensor<1x16x8x8xf32>
func.func @weights_without_a_template(%x: tensor<1x16x4x4xf16>) -> tensor<1x16x8x8xf16> {
  %w = graph.constant dense<0.5> : tensor<16x16x2x2xf16>
  %0 = "graph.conv_transpose"(%x, %w) {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>, outputPadding = array<i64: 0, 0>} : (tensor<1x16x4x4xf16>, tensor<16x16x2x2xf16>) -> tensor<1x16x8x8xf16>
  return %0 : tensor<1x16x8x8xf16>
}

// -----

// The convolution has three spatial dimensions, which no template supports.
// CHECK-LABEL: @convolution_without_a_template
// CHECK-NOT: tensor<16x16x1x1x1xf16>
// CHECK: graph.conv {{.*}} : (tensor<1x16x4x4x4xf32>, tensor<16x16x1x1x1xf32>) -> tensor<1x16x4x4x4xf32>
func.func @convolution_without_a_template(%x: tensor<1x16x4x4x4xf16>) -> tensor<1x16x4x4x4xf16> {
  %w = graph.constant dense<0.5> : tensor<16x16x1x1x1xf16>
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<1x16x4x4x4xf16>, tensor<16x16x1x1x1xf16>) -> tensor<1x16x4x4x4xf16>
  return %0 : tensor<1x16x4x4x4xf16>
}

// -----

// Booleans, and results that jump, depend on rounded values.
// CHECK-LABEL: @jumps_read_rounded_values
// CHECK: %[[S:.*]] = graph.binary add {{.*}} -> tensor<8xf32>
// CHECK: %[[R:.*]] = graph.cast %[[S]] {{.*}} -> tensor<8xf16>
// CHECK: %[[F:.*]] = graph.unary floor %[[R]] : (tensor<8xf16>) -> tensor<8xf16>
// CHECK: %[[L:.*]] = graph.binary less %[[R]], %{{.*}} : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xi1>
// CHECK: return %[[F]], %[[L]]
func.func @jumps_read_rounded_values(%x: tensor<8xf16>, %y: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xi1>) {
  %0 = graph.binary add %x, %y : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  %1 = graph.unary floor %0 : (tensor<8xf16>) -> tensor<8xf16>
  %2 = graph.binary less %0, %x : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xi1>
  return %1, %2 : tensor<8xf16>, tensor<8xi1>
}

// -----

// The nearest pixel depends on rounded coordinates.
// CHECK-LABEL: @coordinates_are_rounded
// CHECK: %[[G:.*]] = graph.binary add {{.*}} -> tensor<1x3x3x2xf32>
// CHECK: %[[R:.*]] = graph.cast %[[G]] {{.*}} -> tensor<1x3x3x2xf16>
// CHECK: graph.grid_sample %arg0, %[[R]] {{.*}} : (tensor<1x1x4x4xf16>, tensor<1x3x3x2xf16>)
func.func @coordinates_are_rounded(%x: tensor<1x1x4x4xf16>, %g: tensor<1x3x3x2xf16>) -> tensor<1x1x3x3xf16> {
  %0 = graph.binary add %g, %g : (tensor<1x3x3x2xf16>, tensor<1x3x3x2xf16>) -> tensor<1x3x3x2xf16>
  %1 = graph.grid_sample %x, %0 {mode = 0 : i32, padding = 0 : i32, alignCorners = false} : (tensor<1x1x4x4xf16>, tensor<1x3x3x2xf16>) -> tensor<1x1x3x3xf16>
  return %1 : tensor<1x1x3x3xf16>
}

// -----

// CHECK-LABEL: @regions_are_rounded
// CHECK: graph.cast {{.*}} -> tensor<2x5xf16>
// CHECK: graph.max_roi_pool {{.*}} : (tensor<1x1x8x8xf16>, tensor<2x5xf16>)
func.func @regions_are_rounded(%x: tensor<1x1x8x8xf16>, %r: tensor<2x5xf16>) -> tensor<2x1x2x2xf16> {
  %0 = graph.binary add %r, %r : (tensor<2x5xf16>, tensor<2x5xf16>) -> tensor<2x5xf16>
  %1 = graph.max_roi_pool %x, %0 {pooledShape = array<i64: 2, 2>, spatialScale = 1.0 : f64} : (tensor<1x1x8x8xf16>, tensor<2x5xf16>) -> tensor<2x1x2x2xf16>
  return %1 : tensor<2x1x2x2xf16>
}

// -----

// A cast of the model to f16 rounds; a cast to f32 reads the value that is not rounded.
// CHECK-LABEL: @casts_of_the_model
// CHECK: %[[H:.*]] = graph.cast %arg0 {{.*}} -> tensor<8xf16>
// CHECK: %[[X:.*]] = graph.cast %[[H]] {{.*}} -> tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.unary exp %[[X]] : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: return %[[Y]]
func.func @casts_of_the_model(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "graph.cast"(%x) {to = f16, saturate = true, roundMode = 0 : i32} : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.unary exp %0 : (tensor<8xf16>) -> tensor<8xf16>
  %2 = "graph.cast"(%1) {to = f32, saturate = true, roundMode = 0 : i32} : (tensor<8xf16>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Ops that only move elements of inputs and constants keep the type: a table is not doubled.
// CHECK-LABEL: @tables_keep_their_type
// CHECK: graph.gather {{.*}} -> tensor<3x8xf16>
func.func @tables_keep_their_type(%i: tensor<3xi64>) -> tensor<3x8xf16> {
  %table = graph.constant dense<0.5> : tensor<100x8xf16>
  %0 = "graph.gather"(%table, %i) {axis = 0 : i64} : (tensor<100x8xf16>, tensor<3xi64>) -> tensor<3x8xf16>
  return %0 : tensor<3x8xf16>
}

// -----

// CHECK-LABEL: @floats_stay
// CHECK-NOT: graph.cast
// CHECK: return
func.func @floats_stay(%x: tensor<8xf32>, %d: tensor<8xf64>) -> (tensor<8xf32>, tensor<8xf64>) {
  %0 = graph.unary exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.unary exp %d : (tensor<8xf64>) -> tensor<8xf64>
  return %0, %1 : tensor<8xf32>, tensor<8xf64>
}

// -----

// An attribute states the type of the result, so the op keeps it and its scale has no cast.
// CHECK-LABEL: @a_stated_type_stays
// CHECK-NOT: graph.cast
// CHECK: graph.dequantize_linear
// CHECK: return
func.func @a_stated_type_stays(%x: tensor<8xui8>, %s: tensor<f16>) -> tensor<8xf16> {
  %0 = graph.dequantize_linear %x, %s {axis = 0 : i64, to = f16} : (tensor<8xui8>, tensor<f16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// A packed matrix becomes f32 without rounding to f16. Its scales stay f16; the template of the
// product converts them.
// CHECK-LABEL: @packed_matrix
// CHECK: %[[S:.*]] = graph.constant {{.*}} : tensor<2x16xf16>
// CHECK: %[[D:.*]] = graph.dequantize_linear %{{.*}}, %[[S]] {{.*}} -> tensor<64x16xf32>
// CHECK: graph.matmul {{.*}}, %[[D]] {{.*}} -> tensor<1x16xf32>
func.func @packed_matrix(%x: tensor<1x64xf16>) -> tensor<1x16xf16> {
  %w = graph.constant dense<5> : tensor<64x16xi4>
  %s = graph.constant dense<0.5> : tensor<2x16xf16>
  %0 = graph.dequantize_linear %w, %s {axis = 0 : i64, blockSize = 32 : i64, to = f16} : (tensor<64x16xi4>, tensor<2x16xf16>) -> tensor<64x16xf16>
  %1 = graph.matmul %x, %0 : (tensor<1x64xf16>, tensor<64x16xf16>) -> tensor<1x16xf16>
  return %1 : tensor<1x16xf16>
}
