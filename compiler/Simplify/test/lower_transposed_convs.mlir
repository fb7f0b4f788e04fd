// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-lower-transposed-convs))' | FileCheck %s

// A kernel of four taps with stride 2: y[2q] = 1 x[q] + 3 x[q - 1], y[2q + 1] = 2 x[q] + 4 x[q - 1].
// CHECK-LABEL: @phases_are_channels_of_one_convolution
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[}}3.000000e+00, 1.000000e+00]], {{\[\[}}4.000000e+00, 2.000000e+00]]]> : tensor<2x1x2xf32>
// CHECK: %[[Y:.*]] = graph.conv %arg0, %[[W]] {{.*}}pads = array<i64: 1, 1>, strides = array<i64: 1>} : {{.*}} -> tensor<1x2x6xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[Y]], {{.*}} -> tensor<1x1x2x1x6xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[R]] {perm = array<i64: 0, 1, 3, 4, 2>} : {{.*}} -> tensor<1x1x1x6x2xf32>
// CHECK: %[[Z:.*]] = graph.reshape %[[T]], {{.*}} -> tensor<1x1x12xf32>
// CHECK: return %[[Z]]
func.func @phases_are_channels_of_one_convolution(%x: tensor<1x1x5xf32>) -> tensor<1x1x12xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x5xf32>, tensor<1x1x4xf32>) -> tensor<1x1x12xf32>
  return %y : tensor<1x1x12xf32>
}

// -----

// With a pad of 1, one convolution computes 32 + 1 positions, and a slice removes the surplus.
// CHECK-LABEL: @surplus_is_removed
// CHECK: graph.conv %arg0, {{.*}} {{.*}}pads = array<i64: 1, 1>{{.*}} -> tensor<1x32x33xf32>
// CHECK: graph.reshape {{.*}} -> tensor<1x16x66xf32>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<1> : tensor<1xi64>
// CHECK-DAG: %[[E:.*]] = graph.constant dense<65> : tensor<1xi64>
// CHECK: graph.slice {{.*}}, %[[B]], %[[E]], {{.*}} -> tensor<1x16x64xf32>
func.func @surplus_is_removed(%x: tensor<1x8x32xf32>) -> tensor<1x16x64xf32> {
  %w = graph.constant dense<1.0> : tensor<8x16x4xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x8x32xf32>, tensor<8x16x4xf32>) -> tensor<1x16x64xf32>
  return %y : tensor<1x16x64xf32>
}

// -----

// Two positions per phase instead of three: separate convolutions multiply less. They read
// different inputs.
// CHECK-LABEL: @short_rows_have_one_convolution_per_phase
// CHECK: %[[Y0:.*]] = graph.conv %arg0, {{.*}}pads = array<i64: 1, 0>{{.*}} -> tensor<1x16x2xf32>
// CHECK: %[[Y1:.*]] = graph.conv %arg0, {{.*}}pads = array<i64: 0, 1>{{.*}} -> tensor<1x16x2xf32>
// CHECK: graph.concat %[[Y0]], %[[Y1]] {axis = 1 : i64} : {{.*}} -> tensor<1x32x2xf32>
func.func @short_rows_have_one_convolution_per_phase(%x: tensor<1x1x2xf32>) -> tensor<1x16x4xf32> {
  %w = graph.constant dense<1.0> : tensor<1x16x4xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x2xf32>, tensor<1x16x4xf32>) -> tensor<1x16x4xf32>
  return %y : tensor<1x16x4xf32>
}

// -----

// Phases with different numbers of taps are never joined, because a zero tap times infinity is NaN.
// CHECK-LABEL: @no_tap_is_added
// CHECK: graph.conv {{.*}}tensor<1x1x1x1xf32>
// CHECK: graph.conv {{.*}}tensor<1x1x1x2xf32>
// CHECK: graph.conv {{.*}}tensor<1x1x2x1xf32>
// CHECK: graph.conv {{.*}}tensor<1x1x2x2xf32>
// CHECK: graph.concat {{.*}} -> tensor<1x4x6x6xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 0, 1, 4, 5, 2, 6, 3>}
// CHECK-NOT: graph.slice
func.func @no_tap_is_added(%x: tensor<1x1x6x6xf32>) -> tensor<1x1x12x12xf32> {
  %w = graph.constant dense<1.0> : tensor<1x1x3x3xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x6x6xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x12x12xf32>
  return %y : tensor<1x1x12x12xf32>
}

// -----

// CHECK-LABEL: @stride_1_is_one_convolution
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[}}3.000000e+00, 2.000000e+00, 1.000000e+00]]]>
// CHECK: %[[Y:.*]] = graph.conv %arg0, %[[W]] {dilations = array<i64: 2>, groups = 1 : i64, pads = array<i64: 3, 4>
// CHECK: return %[[Y]]
func.func @stride_1_is_one_convolution(%x: tensor<1x1x5xf32>) -> tensor<1x1x8xf32> {
  %w = graph.constant dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 0>, dilations = array<i64: 2>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x5xf32>, tensor<1x1x3xf32>) -> tensor<1x1x8xf32>
  return %y : tensor<1x1x8xf32>
}

// -----

// The bias and the ops behind run before the interleave, with one entry per phase and channel.
// CHECK-LABEL: @epilogue_precedes_the_interleave
// CHECK-DAG: %[[B:.*]] = graph.constant dense<[7.000000e+00, 8.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<4xf32>
// CHECK: %[[Y:.*]] = graph.conv %arg0, %{{.*}}, %[[B]]
// CHECK: %[[S:.*]] = graph.constant dense<{{\[\[}}1.000000e+00], [2.000000e+00], [1.000000e+00], [2.000000e+00]]> : tensor<4x1xf32>
// CHECK: %[[P:.*]] = graph.binary mul %[[Y]], %[[S]] : {{.*}} -> tensor<1x4x3xf32>
// CHECK: %[[G:.*]] = graph.unary sigmoid %[[P]]
// CHECK: %[[A:.*]] = graph.binary mul %[[P]], %[[G]] : {{.*}} -> tensor<1x4x3xf32>
// CHECK: graph.reshape %[[A]]
// CHECK: %[[Z:.*]] = graph.reshape {{.*}} -> tensor<1x2x6xf32>
// CHECK: graph.binary add %[[Z]], %arg1
func.func @epilogue_precedes_the_interleave(%x: tensor<1x1x3xf32>, %z: tensor<1x2x6xf32>) -> tensor<1x2x6xf32> {
  %w = graph.constant dense<1.0> : tensor<1x2x2xf32>
  %b = graph.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %slope = graph.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x3xf32>, tensor<1x2x2xf32>, tensor<2xf32>) -> tensor<1x2x6xf32>
  %1 = graph.binary mul %0, %slope : (tensor<1x2x6xf32>, tensor<2x1xf32>) -> tensor<1x2x6xf32>
  %2 = graph.unary sigmoid %1 : (tensor<1x2x6xf32>) -> tensor<1x2x6xf32>
  %3 = graph.binary mul %1, %2 : (tensor<1x2x6xf32>, tensor<1x2x6xf32>) -> tensor<1x2x6xf32>
  %4 = graph.binary add %3, %z : (tensor<1x2x6xf32>, tensor<1x2x6xf32>) -> tensor<1x2x6xf32>
  return %4 : tensor<1x2x6xf32>
}

// -----

// Channels of a group include its phases: groups are outermost in the channels of the convolution.
// CHECK-LABEL: @groups_contain_their_phases
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[}}1.000000e+00]], {{\[\[}}2.000000e+00]], {{\[\[}}3.000000e+00]], {{\[\[}}4.000000e+00]]]> : tensor<4x1x1xf32>
// CHECK: graph.conv {{.*}}groups = 2
// CHECK: graph.reshape {{.*}} -> tensor<1x2x2x1x3xf32>
func.func @groups_contain_their_phases(%x: tensor<1x2x3xf32>) -> tensor<1x2x6xf32> {
  %w = graph.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 2 : i64}
      : (tensor<1x2x3xf32>, tensor<2x1x2xf32>) -> tensor<1x2x6xf32>
  return %y : tensor<1x2x6xf32>
}

// -----

// The integers are rearranged, and each phase has the scales of the channels.
// CHECK-LABEL: @quantized_weights_stay_integers
// CHECK: %[[I:.*]] = graph.constant dense<{{\[\[\[}}1]], {{\[\[}}3]], {{\[\[}}2]], {{\[\[}}4]]]> : tensor<4x1x1xi8>
// CHECK: %[[S:.*]] = graph.constant dense<[5.000000e-01, 2.500000e-01, 5.000000e-01, 2.500000e-01]> : tensor<4xf32>
// CHECK: %[[W:.*]] = graph.dequantize_linear %[[I]], %[[S]] {axis = 0
// CHECK: graph.conv %arg0, %[[W]]
func.func @quantized_weights_stay_integers(%x: tensor<1x1x3xf32>) -> tensor<1x2x6xf32> {
  %ints = graph.constant dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>
  %scale = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %w = graph.dequantize_linear %ints, %scale {to = f32, axis = 1 : i64} : (tensor<1x2x2xi8>, tensor<2xf32>) -> tensor<1x2x2xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x3xf32>, tensor<1x2x2xf32>) -> tensor<1x2x6xf32>
  return %y : tensor<1x2x6xf32>
}

// -----

// With a kernel below the stride, the second phase has no tap: its results are the bias behind the
// epilogue, evaluated once per channel. A convolution with a zero tap would multiply infinities.
// CHECK-LABEL: @phases_without_taps_are_the_bias
// CHECK: %[[Y:.*]] = graph.conv %arg0, {{.*}} -> tensor<1x2x3xf32>
// CHECK: %[[R:.*]] = graph.unary relu %[[Y]]
// CHECK: %[[B:.*]] = graph.constant dense<[7.000000e+00, -8.000000e+00]> : tensor<2xf32>
// CHECK: %[[C:.*]] = graph.reshape %[[B]], {{.*}} -> tensor<1x2x1xf32>
// CHECK: %[[S:.*]] = graph.unary relu %[[C]]
// CHECK: %[[E:.*]] = graph.expand %[[S]], {{.*}} -> tensor<1x2x3xf32>
// CHECK: graph.concat %[[R]], %[[E]] {axis = 1 : i64}
// CHECK: graph.slice {{.*}} -> tensor<1x2x5xf32>
func.func @phases_without_taps_are_the_bias(%x: tensor<1x1x3xf32>) -> tensor<1x2x5xf32> {
  %w = graph.constant dense<2.0> : tensor<1x2x1xf32>
  %b = graph.constant dense<[7.0, -8.0]> : tensor<2xf32>
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x3xf32>, tensor<1x2x1xf32>, tensor<2xf32>) -> tensor<1x2x5xf32>
  %1 = graph.unary relu %0 : (tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  return %1 : tensor<1x2x5xf32>
}

// -----

// All taps fall on the first phase if the stride divides the dilation. Adjacent phases without taps
// are one constant.
// CHECK-LABEL: @stride_and_dilation_have_a_common_divisor
// CHECK: %[[Y:.*]] = graph.conv %arg0, {{.*}}{dilations = array<i64: 2>{{.*}}pads = array<i64: 2, 2>{{.*}} -> tensor<1x1x5xf32>
// CHECK: %[[E:.*]] = graph.expand {{.*}} -> tensor<1x2x5xf32>
// CHECK: graph.concat %[[Y]], %[[E]]
func.func @stride_and_dilation_have_a_common_divisor(%x: tensor<1x1x3xf32>) -> tensor<1x1x13xf32> {
  %w = graph.constant dense<1.0> : tensor<1x1x2xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 6>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x13xf32>
  return %y : tensor<1x1x13xf32>
}

// -----

// The input ends before the first result, so that no phase reads it. Boxes with groups have one phase
// each: the phases are outermost in the channels.
// CHECK-LABEL: @results_without_inputs_are_the_bias
// CHECK-NOT: graph.conv
// CHECK: %[[B:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK: graph.expand {{.*}} -> tensor<1x8x2x1xf32>
// CHECK: graph.reshape {{.*}} -> tensor<1x1x2x1x4x2x1xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 0, 1, 4, 5, 2, 6, 3>}
func.func @results_without_inputs_are_the_bias(%x: tensor<1x2x2x1xf32>) -> tensor<1x4x2x1xf32> {
  %w = graph.constant dense<1.0> : tensor<2x2x3x1xf32>
  %b = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = graph.conv_transpose %x, %w, %b {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 2, 0>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 0, 1>, groups = 2 : i64}
      : (tensor<1x2x2x1xf32>, tensor<2x2x3x1xf32>, tensor<4xf32>) -> tensor<1x4x2x1xf32>
  return %y : tensor<1x4x2x1xf32>
}

// -----

// A vector of one scale is for one channel per group. The convolution has more channels.
// CHECK-LABEL: @a_single_scale_is_a_scalar
// CHECK: %[[S:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK: graph.dequantize_linear {{.*}}, %[[S]] {{.*}} -> tensor<4x1x1xf32>
func.func @a_single_scale_is_a_scalar(%x: tensor<1x2x3xf32>) -> tensor<1x2x6xf32> {
  %ints = graph.constant dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi8>
  %scale = graph.constant dense<[0.5]> : tensor<1xf32>
  %w = graph.dequantize_linear %ints, %scale {to = f32, axis = 1 : i64} : (tensor<2x1x2xi8>, tensor<1xf32>) -> tensor<2x1x2xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 2 : i64}
      : (tensor<1x2x3xf32>, tensor<2x1x2xf32>) -> tensor<1x2x6xf32>
  return %y : tensor<1x2x6xf32>
}

// -----

// The taps of each phase are slices in reverse order, stacked as output channels.
// CHECK-LABEL: @computed_weights_are_sliced
// CHECK-DAG: %[[S0:.*]] = graph.constant dense<2> : tensor<1xi64>
// CHECK-DAG: %[[STEP:.*]] = graph.constant dense<-2> : tensor<1xi64>
// CHECK: %[[P0:.*]] = graph.slice %arg1, {{.*}} -> tensor<4x3x2xf32>
// CHECK: graph.reshape %[[P0]], {{.*}} -> tensor<2x2x1x3x2xf32>
// CHECK: %[[P1:.*]] = graph.slice %arg1, {{.*}} -> tensor<4x3x2xf32>
// CHECK: %[[C:.*]] = graph.concat {{.*}} {axis = 2 : i64} : {{.*}} -> tensor<2x2x2x3x2xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[C]] {perm = array<i64: 0, 2, 3, 1, 4>}
// CHECK: %[[W:.*]] = graph.reshape %[[T]], {{.*}} -> tensor<12x2x2xf32>
// CHECK: %[[B:.*]] = graph.gather %arg2
// CHECK: graph.conv %arg0, %[[W]], %[[B]] {{.*}}groups = 2
func.func @computed_weights_are_sliced(%x: tensor<1x4x5xf32>, %w: tensor<4x3x4xf32>, %b: tensor<6xf32>) -> tensor<1x6x12xf32> {
  %y = graph.conv_transpose %x, %w, %b {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 2 : i64}
      : (tensor<1x4x5xf32>, tensor<4x3x4xf32>, tensor<6xf32>) -> tensor<1x6x12xf32>
  return %y : tensor<1x6x12xf32>
}

// -----

// Computed weights with 81 phases, a stride of 5,000, and a stride much longer than the result.
// CHECK-LABEL: @many_phases_do_not_change
// CHECK-COUNT-3: graph.conv_transpose
func.func @many_phases_do_not_change(%x: tensor<1x1x3x3xf32>, %z: tensor<1x1x2xf32>, %v: tensor<1x1x9x9xf32>)
    -> (tensor<1x1x27x27xf32>, tensor<1x1x5001xf32>, tensor<1x1x3xf32>) {
  %one = graph.constant dense<1.0> : tensor<1x1x1xf32>
  %long = graph.constant dense<1.0> : tensor<1x1x20xf32>
  %0 = graph.conv_transpose %x, %v {strides = array<i64: 9, 9>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x1x3x3xf32>, tensor<1x1x9x9xf32>) -> tensor<1x1x27x27xf32>
  %1 = graph.conv_transpose %z, %one {strides = array<i64: 5000>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x5001xf32>
  %2 = graph.conv_transpose %z, %long {strides = array<i64: 20>, pads = array<i64: 18, 19>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x1x2xf32>, tensor<1x1x20xf32>) -> tensor<1x1x3xf32>
  return %0, %1, %2 : tensor<1x1x27x27xf32>, tensor<1x1x5001xf32>, tensor<1x1x3xf32>
}

// -----

// Each of the 1,024 phases would be one convolution, because a group contains its phases.
// CHECK-LABEL: @many_phases_with_groups_do_not_change
// CHECK: graph.conv_transpose
func.func @many_phases_with_groups_do_not_change(%x: tensor<1x4x3x3xf32>) -> tensor<1x4x127x127xf32> {
  %w = graph.constant dense<1.0> : tensor<4x1x63x63xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 32, 32>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 0, 0>, groups = 4 : i64}
      : (tensor<1x4x3x3xf32>, tensor<4x1x63x63xf32>) -> tensor<1x4x127x127xf32>
  return %y : tensor<1x4x127x127xf32>
}
