// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-full | FileCheck %s

// CHECK-LABEL: func.func @bias_and_relu_are_one_stage
// CHECK: %[[B:.*]] = graph.constant dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf16>
// CHECK: %[[SUMS:.*]] = nvdla.conv %arg0, %{{.*}} -> tensor<1x2x4x4xf32>
// CHECK: nvdla.sdp %[[SUMS]] x1(%[[B]]) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, relu = 1, from = kernel>}
func.func @bias_and_relu_are_one_stage(%x: tensor<1x1x4x4xf16>) -> tensor<1x2x4x4xf16> {
  %w = graph.constant dense<1.0> : tensor<2x1x1x1xf16>
  %b = graph.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %y = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, activation = #convcore.act<relu>} : (tensor<1x1x4x4xf16>, tensor<2x1x1x1xf16>, tensor<2xf16>) -> tensor<1x2x4x4xf16>
  return %y : tensor<1x2x4x4xf16>
}

// Register operands are bits of fp16: -1 is 0xBC00, 6 is 0x4600. Bias and bounds take three stages, so
// two jobs.
// CHECK-LABEL: func.func @three_stages_are_two_jobs
// CHECK: %[[Y:.*]] = nvdla.sdp %{{.*}} x1(%{{.*}}) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, from = kernel>, x2 = #nvdla.stage<alu = max, aluOperand = -17408>}
// CHECK: nvdla.sdp %[[Y]] {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 17920>}
func.func @three_stages_are_two_jobs(%x: tensor<1x1x4x4xf16>) -> tensor<1x2x4x4xf16> {
  %w = graph.constant dense<1.0> : tensor<2x1x1x1xf16>
  %b = graph.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %y = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, activation = #convcore.act<clip, low = -1.0 : f64, high = 6.0 : f64>} : (tensor<1x1x4x4xf16>, tensor<2x1x1x1xf16>, tensor<2xf16>) -> tensor<1x2x4x4xf16>
  return %y : tensor<1x2x4x4xf16>
}

// CHECK-LABEL: func.func @scale_is_a_product_and_a_sum
// CHECK: nvdla.sdp %arg0 x1(%{{.*}}) x2(%{{.*}}) {offset = 0 : i64, x1 = #nvdla.stage<mul = 1, from = kernel>, x2 = #nvdla.stage<alu = sum, from = kernel>}
func.func @scale_is_a_product_and_a_sum(%x: tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16> {
  %s = graph.constant dense<[3.0, 4.0]> : tensor<2xf16>
  %b = graph.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %y = convcore.scale %x, %s, %b : (tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<1x2x4x4xf16>
  return %y : tensor<1x2x4x4xf16>
}

// CHECK-LABEL: func.func @sum_reads_the_right_operand
// CHECK: nvdla.sdp %arg0 x1(%arg1) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, from = element>}
func.func @sum_reads_the_right_operand(%x: tensor<1x2x4x4xf16>, %z: tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16> {
  %y = convcore.eltwise %x, %z {kind = 0 : i32} : (tensor<1x2x4x4xf16>, tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16>
  return %y : tensor<1x2x4x4xf16>
}

// CHECK-LABEL: func.func @sigmoid_is_a_curve
// CHECK: nvdla.sdp %arg0 {curve = 0 : i32, offset = 0 : i64}
func.func @sigmoid_is_a_curve(%x: tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16> {
  %y = convcore.activation %x {activation = #convcore.act<sigmoid>} : (tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16>
  return %y : tensor<1x2x4x4xf16>
}

// PDP computes a mean of floats.
// CHECK-LABEL: func.func @float_mean_is_pdp
// CHECK: nvdla.pdp %arg0 {kernel = array<i64: 2, 2>, method = 0 : i32
func.func @float_mean_is_pdp(%x: tensor<1x2x4x4xf16>) -> tensor<1x2x2x2xf16> {
  %y = convcore.pool %x {kind = 1 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x4x4xf16>) -> tensor<1x2x2x2xf16>
  return %y : tensor<1x2x2x2xf16>
}

// CHECK-LABEL: func.func @normalization_is_cdp
// CHECK: nvdla.cdp %arg0 {alpha = 1.000000e-04 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64, size = 5 : i64}
func.func @normalization_is_cdp(%x: tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16> {
  %y = convcore.lrn %x {size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64} : (tensor<1x2x4x4xf16>) -> tensor<1x2x4x4xf16>
  return %y : tensor<1x2x4x4xf16>
}
