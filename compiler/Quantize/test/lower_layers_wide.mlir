// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-quantize-lower-layers))' | FileCheck %s

// Layers with 16-bit activations and with 4-bit weights. The sums of a layer have 32 bits if the
// weights and the bias prove that no sum reaches 2^31.

// 511 * 128 * 32768 < 2^31. The relu is a bound.
// CHECK-LABEL: func.func @weights_prove_narrow_sums
// CHECK: %[[SUMS:.*]] = graph.integer_matmul %arg0, {{.*}} -> tensor<1x1xi32>
// CHECK: graph.constant dense<1073741824> : tensor<i32>
// CHECK: graph.requantize %[[SUMS]], {{.*}}low = 0 : i64, {{.*}}to = i16
func.func @weights_prove_narrow_sums(%x: tensor<1x511xi16>) -> tensor<1x1xi16> {
  %w = graph.constant dense<-128> : tensor<511x1xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x511xi16>, tensor<f32>) -> tensor<1x511xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<511x1xi8>, tensor<f32>) -> tensor<511x1xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x511xf32>, tensor<511x1xf32>) -> tensor<1x1xf32>
  %3 = graph.unary relu %2 : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %4 = graph.quantize_linear %3, %s {to = i16, axis = 0 : i64} : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xi16>
  return %4 : tensor<1x1xi16>
}

// -----

// 512 * 128 * 32768 = 2^31 needs 32 bits and the sign, so the multiplier of 0.5 has 30 bits.
// CHECK-LABEL: func.func @wide_sums_need_a_bias
// CHECK: %[[B:.*]] = graph.constant dense<0> : tensor<1xi64>
// CHECK: %[[SUMS:.*]] = graph.integer_matmul %arg0, {{.*}}, %[[B]] {{.*}} -> tensor<1x1xi64>
// CHECK: graph.constant dense<536870912> : tensor<i32>
// CHECK: graph.constant dense<30> : tensor<i32>
// CHECK: graph.requantize %[[SUMS]]
func.func @wide_sums_need_a_bias(%x: tensor<1x512xi16>) -> tensor<1x1xi16> {
  %w = graph.constant dense<-128> : tensor<512x1xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x512xi16>, tensor<f32>) -> tensor<1x512xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<512x1xi8>, tensor<f32>) -> tensor<512x1xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x512xf32>, tensor<512x1xf32>) -> tensor<1x1xf32>
  %3 = graph.quantize_linear %2, %s {to = i16, axis = 0 : i64} : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xi16>
  return %3 : tensor<1x1xi16>
}

// -----

// 20000 / (2^-10 * 2^-10) has 35 bits. Each channel is rescaled by 2^-9, with 62 - 35 = 27 bits.
// CHECK-LABEL: func.func @a_large_bias_makes_wide_sums
// CHECK: %[[B:.*]] = graph.constant dense<[1048576, 20971520000]> : tensor<2xi64>
// CHECK: graph.integer_conv %arg0, {{.*}}, %[[B]] {{.*}} -> tensor<1x2x4x4xi64>
// CHECK: graph.constant dense<67108864> : tensor<i32>
// CHECK: graph.constant dense<35> : tensor<i32>
func.func @a_large_bias_makes_wide_sums(%x: tensor<1x1x4x4xi16>) -> tensor<1x2x4x4xi16> {
  %w = graph.constant dense<1> : tensor<2x1x1x1xi8>
  %s = graph.constant dense<9.765625e-4> : tensor<f32>
  %sy = graph.constant dense<4.8828125e-4> : tensor<f32>
  %b = graph.constant dense<[1.0, 20000.0]> : tensor<2xf32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x1x4x4xi16>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2x1x1x1xi8>, tensor<f32>) -> tensor<2x1x1x1xf32>
  %2 = graph.conv %0, %1, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %3 = graph.quantize_linear %2, %sy {to = i16, axis = 0 : i64} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xi16>
  return %3 : tensor<1x2x4x4xi16>
}

// -----

// CHECK-LABEL: func.func @sums_have_at_most_46_bits
// CHECK-NOT: graph.requantize
func.func @sums_have_at_most_46_bits(%x: tensor<1x2xi16>) -> tensor<1x1xi16> {
  %w = graph.constant dense<1> : tensor<2x1xi8>
  %s = graph.constant dense<9.765625e-4> : tensor<f32>
  %b = graph.constant dense<1.0e9> : tensor<1xf32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x2xi16>, tensor<f32>) -> tensor<1x2xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2x1xi8>, tensor<f32>) -> tensor<2x1xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  // expected-remark@+1 {{stays in floating point: the sums exceed 46 bits; the bias is too large for the scales of input and weights}}
  %3 = graph.binary add %2, %b : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  %4 = graph.quantize_linear %3, %s {to = i16, axis = 0 : i64} : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xi16>
  return %4 : tensor<1x1xi16>
}

// -----

// CHECK-LABEL: func.func @a_bias_is_finite
// CHECK-NOT: graph.requantize
func.func @a_bias_is_finite(%x: tensor<1x2xi8>) -> tensor<1x1xi8> {
  %w = graph.constant dense<1> : tensor<2x1xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %b = graph.constant dense<0x7FC00000> : tensor<1xf32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x2xi8>, tensor<f32>) -> tensor<1x2xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2x1xi8>, tensor<f32>) -> tensor<2x1xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  // expected-remark@+1 {{stays in floating point: the bias is not finite in the scale of the sums}}
  %3 = graph.binary add %2, %b : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  %4 = graph.quantize_linear %3, %s {to = i8, axis = 0 : i64} : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xi8>
  return %4 : tensor<1x1xi8>
}

// -----

// CHECK-LABEL: func.func @wide_sums_stay_open
// CHECK: %[[SUMS:.*]] = graph.integer_conv {{.*}} -> tensor<1x2x1x1xi64>
// CHECK: %[[SCALE:.*]] = graph.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK: graph.dequantize_linear %[[SUMS]], %[[SCALE]] {axis = 1 : i64, to = f32}
func.func @wide_sums_stay_open(%x: tensor<1x600x1x1xi16>) -> tensor<1x2x1x1xf32> {
  %w = graph.constant dense<127> : tensor<2x600x1x1xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %sw = graph.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x600x1x1xi16>, tensor<f32>) -> tensor<1x600x1x1xf32>
  %1 = graph.dequantize_linear %w, %sw {to = f32, axis = 0 : i64} : (tensor<2x600x1x1xi8>, tensor<2xf32>) -> tensor<2x600x1x1xf32>
  %2 = graph.conv %0, %1 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x600x1x1xf32>, tensor<2x600x1x1xf32>) -> tensor<1x2x1x1xf32>
  return %2 : tensor<1x2x1x1xf32>
}

// -----

// 4-bit weights become 8-bit constants.
// CHECK-LABEL: func.func @four_bit_weights
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[}}-8, 7], [1, -1]]> : tensor<2x2xi8>
// CHECK: graph.integer_matmul %arg0, %[[W]]
func.func @four_bit_weights(%x: tensor<1x2xi8>) -> tensor<1x2xi8> {
  %w = graph.constant dense<[[-8, 7], [1, -1]]> : tensor<2x2xi4>
  %z = graph.constant dense<0> : tensor<2xi4>
  %s = graph.constant dense<0.5> : tensor<f32>
  %sw = graph.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x2xi8>, tensor<f32>) -> tensor<1x2xf32>
  %1 = graph.dequantize_linear %w, %sw, %z {to = f32, axis = 1 : i64} : (tensor<2x2xi4>, tensor<2xf32>, tensor<2xi4>) -> tensor<2x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %3 = graph.quantize_linear %2, %s {to = i8, axis = 0 : i64} : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xi8>
  return %3 : tensor<1x2xi8>
}

// -----

// Multipliers of 16-bit operands have 30 bits.
// CHECK-LABEL: func.func @wide_elements
// CHECK: graph.integer_add %arg0, %arg1 {{.*}}lhsMultiplier = 536870912 : i64, {{.*}}shift = 30 : i64
// CHECK: graph.integer_mul %arg0, %arg1
func.func @wide_elements(%x: tensor<8xi16>, %y: tensor<8xi8>) -> (tensor<8xi16>, tensor<8xi16>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xi16>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.dequantize_linear %y, %s {to = f32, axis = 0 : i64} : (tensor<8xi8>, tensor<f32>) -> tensor<8xf32>
  %2 = graph.binary add %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.quantize_linear %2, %t {to = i16, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi16>
  %4 = graph.binary mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = graph.quantize_linear %4, %t {to = i16, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi16>
  return %3, %5 : tensor<8xi16>, tensor<8xi16>
}

// -----

// CHECK-LABEL: func.func @products_fit_32_bits
// CHECK-NOT: graph.integer_mul
func.func @products_fit_32_bits(%x: tensor<8xui16>, %y: tensor<8xui16>) -> tensor<8xi16> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xui16>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.dequantize_linear %y, %s {to = f32, axis = 0 : i64} : (tensor<8xui16>, tensor<f32>) -> tensor<8xf32>
  // expected-remark@+1 {{stays in floating point: the products exceed 32 bits; 16-bit factors require type int16 and zero point 0}}
  %2 = graph.binary mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.quantize_linear %2, %s {to = i16, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi16>
  return %3 : tensor<8xi16>
}

// -----

// CHECK-LABEL: func.func @tables_have_8_bits
// CHECK-NOT: graph.lookup
func.func @tables_have_8_bits(%x: tensor<8xi16>) -> tensor<8xi16> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<8xi16>, tensor<f32>) -> tensor<8xf32>
  // expected-remark@+1 {{stays in floating point: a table requires 8-bit elements, and the input has 16 bits}}
  %1 = graph.unary sigmoid %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.quantize_linear %1, %s {to = i16, axis = 0 : i64} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi16>
  return %2 : tensor<8xi16>
}

// -----

// 256 * 256 * 32768 = 2^31.
// CHECK-LABEL: func.func @windows_fit_32_bits
// CHECK-NOT: graph.integer_sum_pool
func.func @windows_fit_32_bits(%x: tensor<1x1x256x256xi16>) -> tensor<1x1x1x1xi16> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %axes = graph.constant dense<[2, 3]> : tensor<2xi64>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x1x256x256xi16>, tensor<f32>) -> tensor<1x1x256x256xf32>
  // expected-remark@+1 {{stays in floating point: the sums of the windows exceed 32 bits}}
  %1 = graph.reduce mean %0 over %axes {keepDims = true} : (tensor<1x1x256x256xf32>, tensor<2xi64>) -> tensor<1x1x1x1xf32>
  %2 = graph.quantize_linear %1, %s {to = i16, axis = 0 : i64} : (tensor<1x1x1x1xf32>, tensor<f32>) -> tensor<1x1x1x1xi16>
  return %2 : tensor<1x1x1x1xi16>
}

// -----

// CHECK-LABEL: func.func @weights_have_at_most_8_bits
// CHECK-NOT: graph.integer_matmul
func.func @weights_have_at_most_8_bits(%x: tensor<1x2xi16>) -> tensor<1x2xi16> {
  %w = graph.constant dense<1> : tensor<2x2xi16>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize_linear %x, %s {to = f32, axis = 0 : i64} : (tensor<1x2xi16>, tensor<f32>) -> tensor<1x2xf32>
  %1 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64} : (tensor<2x2xi16>, tensor<f32>) -> tensor<2x2xf32>
  // expected-remark@+1 {{stays in floating point: the weights are not constants of at most 8 bits with scales along the output channels}}
  %2 = graph.matmul %0, %1 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %3 = graph.quantize_linear %2, %s {to = i16, axis = 0 : i64} : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xi16>
  return %3 : tensor<1x2xi16>
}
