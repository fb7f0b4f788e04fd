// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// Type rules of convolutions, pools and normalization.

// CHECK-LABEL: func.func @conv_counts_windows
// CHECK: graph.conv {{.*}} -> tensor<1x16x16x10xf32>
func.func @conv_counts_windows(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  %r = graph.conv %a, %b {strides = array<i64: 2, 3>, pads = array<i64: 1, 0, 1, 2>, dilations = array<i64: 1, 2>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @conv_keeps_unknown_dimensions_open
// CHECK: graph.conv {{.*}} -> tensor<?x16x?x28xf32>
func.func @conv_keeps_unknown_dimensions_open(%a: tensor<?x8x?x30xf32>, %b: tensor<16x8x3x3xf32>) {
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<?x8x?x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @conv_of_unknown_rank_takes_the_rank_of_the_weights
// CHECK: graph.conv {{.*}} -> tensor<?x16x?x?xf32>
func.func @conv_of_unknown_rank_takes_the_rank_of_the_weights(%a: tensor<*xf32>, %b: tensor<16x8x3x3xf32>) {
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<*xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @conv_pads_may_cut
// CHECK: graph.conv {{.*}} -> tensor<1x16x29x26xf32>
func.func @conv_pads_may_cut(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: -1, 0, 0, -2>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @conv_transpose_spreads
// CHECK: graph.conv_transpose {{.*}} -> tensor<1x6x13x16xf32>
func.func @conv_transpose_spreads(%a: tensor<1x4x5x6xf32>, %b: tensor<4x3x3x2xf32>) {
  %r = graph.conv_transpose %a, %b {strides = array<i64: 2, 3>, pads = array<i64: 1, 0, 0, 1>, dilations = array<i64: 2, 1>, outputPadding = array<i64: 1, 0>, groups = 2 : i64}
      : (tensor<1x4x5x6xf32>, tensor<4x3x3x2xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @floor_drops_the_rest
// CHECK: graph.average_pool {{.*}} -> tensor<1x2x3x3xf32>
func.func @floor_drops_the_rest(%a: tensor<1x2x8x7xf32>) {
  %r = graph.average_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<1x2x8x7xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @ceil_adds_a_window
// CHECK: graph.average_pool {{.*}} -> tensor<1x2x4x4xf32>
func.func @ceil_adds_a_window(%a: tensor<1x2x8x7xf32>) {
  %r = graph.average_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = true, countIncludePad = false}
      : (tensor<1x2x8x7xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @ceil_drops_a_window_that_starts_in_the_padding
// CHECK: graph.average_pool {{.*}} -> tensor<1x2x1x1xf32>
func.func @ceil_drops_a_window_that_starts_in_the_padding(%a: tensor<1x2x2x2xf32>) {
  %r = graph.average_pool %a {kernel = array<i64: 3, 3>, strides = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, ceilMode = true, countIncludePad = true}
      : (tensor<1x2x2x2xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @indices_are_i64
// CHECK: graph.max_pool {{.*}} -> (tensor<1x2x3x3xui8>, tensor<1x2x3x3xi64>)
func.func @indices_are_i64(%a: tensor<1x2x8x7xui8>) {
  %r:2 = graph.max_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, columnMajor = false}
      : (tensor<1x2x8x7xui8>) -> (tensor<*xui8>, tensor<*xi64>)
  return
}

// CHECK-LABEL: func.func @dilated_window_may_straddle_a_small_input
// CHECK: graph.max_pool {{.*}} -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xi64>)
func.func @dilated_window_may_straddle_a_small_input(%a: tensor<1x1x1x1xf32>) {
  %r:2 = graph.max_pool %a {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, ceilMode = false, columnMajor = false}
      : (tensor<1x1x1x1xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  return
}

// -----

func.func @zero_stride(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects strides in [1, 2147483648], got 0}}
  %r = graph.conv %a, %b {strides = array<i64: 0, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

// The value of kDynamic is not a valid size in an attribute.
func.func @lowest_stride(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects strides in [1, 2147483648], got -9223372036854775808}}
  %r = graph.conv %a, %b {strides = array<i64: -9223372036854775808, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @lowest_kernel(%a: tensor<1x2x8x8xf32>) {
  // expected-error@+1 {{'graph.average_pool' op expects kernel sizes in [1, 2147483648], got -9223372036854775808}}
  %r = graph.average_pool %a {kernel = array<i64: -9223372036854775808, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<1x2x8x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @lowest_kernel_of_unknown_rank(%a: tensor<*xf32>) {
  // expected-error@+1 {{'graph.average_pool' op expects kernel sizes in [1, 2147483648], got -9223372036854775808}}
  %r = graph.average_pool %a {kernel = array<i64: -9223372036854775808, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @three_strides(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects 2 strides for the spatial dimensions, got 3}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @huge_pads(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects pads in [-2147483648, 2147483648], got 9223372036854775807}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 9223372036854775807>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @kernel_larger_than_input(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects a padded input at least as large as the window extent 33, got 32 elements + 0 + 0 padding}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 16, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @no_groups(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects groups in [1, 2147483648], got 0}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 0 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @wrong_channels(%a: tensor<1x6x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-note@+2 {{ONNX weights have shape O x (I / groups) x spatial...}}
  // expected-error@+1 {{'graph.conv' op expects 8 x 1 input channels (dimension 1 of the weights x groups), got 6}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x6x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @uneven_groups(%a: tensor<1x24x32x30xf32>, %b: tensor<16x8x3x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects the number of output channels to be a multiple of 3 groups, got 16}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 3 : i64}
      : (tensor<1x24x32x30xf32>, tensor<16x8x3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @matrix_input(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
  // expected-error@+1 {{'graph.conv' op expects an input of rank 3 or more (batch, channels, spatial dimensions), got 'tensor<8x8xf32>'}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @weights_of_another_rank(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3xf32>) {
  // expected-error@+1 {{'graph.conv' op expects weights of rank 4, got 'tensor<16x8x3xf32>'}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @mixed_elements(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf16>) {
  // expected-error@+1 {{'graph.conv' op expects weights of 'f32' like the first operand, got 'f16'; insert a Cast}}
  %r = graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf16>) -> tensor<*xf32>
  return
}

// -----

func.func @short_bias(%a: tensor<1x8x32x30xf32>, %b: tensor<16x8x3x3xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{'graph.conv' op expects the bias to be a vector of 16 elements, got 'tensor<8xf32>'}}
  %r = graph.conv %a, %b, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x30xf32>, tensor<16x8x3x3xf32>, tensor<8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @nothing_left(%a: tensor<1x4x1x6xf32>, %b: tensor<4x3x3x2xf32>) {
  // expected-error@+1 {{'graph.conv_transpose' op expects pads that leave a positive output size, got stride 2 x (input 1 - 1) + output padding 0 + window 3 - pads 1 and 2}}
  %r = graph.conv_transpose %a, %b {strides = array<i64: 2, 3>, pads = array<i64: 1, 0, 2, 1>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x4x1x6xf32>, tensor<4x3x3x2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @transposed_channels(%a: tensor<1x5x4x6xf32>, %b: tensor<4x3x3x2xf32>) {
  // expected-error@+1 {{'graph.conv_transpose' op expects 4 input channels (dimension 0 of the weights), got 5}}
  %r = graph.conv_transpose %a, %b {strides = array<i64: 2, 3>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, outputPadding = array<i64: 0, 0>, groups = 1 : i64}
      : (tensor<1x5x4x6xf32>, tensor<4x3x3x2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @offsets_of_another_shape(%a: tensor<1x2x5x5xf32>, %b: tensor<2x2x2x2xf32>, %c: tensor<1x4x4x4xf32>) {
  // expected-error@+1 {{'graph.deform_conv' op expects offsets of type 'tensor<1x8x4x4xf32>', got 'tensor<1x4x4x4xf32>'}}
  %r = graph.deform_conv %a, %b, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, offsetGroups = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
      : (tensor<1x2x5x5xf32>, tensor<2x2x2x2xf32>, tensor<1x4x4x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @window_in_the_padding(%a: tensor<1x2x8x7xf32>) {
  // expected-error@+1 {{'graph.average_pool' op expects each window to contain an element of the input, but along dimension 2 (8 elements) a window covers only padding; use smaller pads}}
  %r = graph.average_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 3, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<1x2x8x7xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @negative_pool_pads(%a: tensor<1x2x8x7xf32>) {
  // expected-error@+1 {{'graph.lp_pool' op expects pads in [0, 2147483648], got -1}}
  %r = graph.lp_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: -1, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, p = 2 : i64}
      : (tensor<1x2x8x7xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @norm_of_order_zero(%a: tensor<1x2x8x7xf32>) {
  // expected-error@+1 {{'graph.lp_pool' op expects p of 1 or more, got 0}}
  %r = graph.lp_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, p = 0 : i64}
      : (tensor<1x2x8x7xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @integer_mean(%a: tensor<1x2x8x7xi32>) {
  // expected-error@+1 {{'graph.average_pool' op expects an input of a floating-point type, got 'i32'}}
  %r = graph.average_pool %a {kernel = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false}
      : (tensor<1x2x8x7xi32>) -> tensor<*xf32>
  return
}

// -----

func.func @unpool_kernel_of_another_rank(%a: tensor<1x1x2x2xf32>, %b: tensor<1x1x2x2xi64>) {
  // expected-error@+1 {{'graph.max_unpool' op expects 2 kernel sizes for the spatial dimensions, got 1}}
  %r = graph.max_unpool %a, %b {kernel = array<i64: 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @lrn_size_zero(%a: tensor<1x4x2x2xf32>) {
  // expected-error@+1 {{'graph.lrn' op expects a size of 1 or more, got 0}}
  %r = graph.lrn %a {size = 0 : i64, alpha = 1.0 : f64, beta = 1.0 : f64, bias = 1.0 : f64}
      : (tensor<1x4x2x2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @axis_outside(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'graph.softmax' op expects an axis within the rank of 'tensor<2x3xf32>', got 2}}
  %r = graph.softmax %a {axis = 2 : i64}
      : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @mean_of_another_length(%a: tensor<1x3x4xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>, %e: tensor<3xf32>) {
  // expected-error@+1 {{'graph.batch_norm' op expects the mean to be a vector of 3 elements, got 'tensor<2xf32>'}}
  %r = graph.batch_norm %a, %b, %c, %d, %e {epsilon = 1.0 : f64}
      : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}
