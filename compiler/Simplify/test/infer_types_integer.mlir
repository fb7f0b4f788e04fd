// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// Type rules of integer layers and requantize.

// CHECK-LABEL: func.func @sums_are_i32
// CHECK: graph.integer_conv {{.*}} -> tensor<1x16x15x15xi32>
// CHECK: graph.integer_matmul {{.*}} -> tensor<4x10xi32>
// CHECK: graph.integer_sum_pool {{.*}} -> tensor<1x8x1x1xi32>
// CHECK: graph.integer_mul {{.*}} -> tensor<1x8x32x32xi32>
func.func @sums_are_i32(%x: tensor<1x8x32x32xui8>, %w: tensor<16x8x3x3xi8>, %b: tensor<16xi32>, %l: tensor<4x64xi8>, %r: tensor<64x10xi8>, %g: tensor<1x8x1x1xui8>) {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 128 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x32xui8>, tensor<16x8x3x3xi8>, tensor<16xi32>) -> tensor<*xi32>
  %1 = graph.integer_matmul %l, %r {lhsZeroPoint = -3 : i64, rhsZeroPoint = 0 : i64} : (tensor<4x64xi8>, tensor<64x10xi8>) -> tensor<*xi32>
  %2 = graph.integer_sum_pool %x {inputZeroPoint = 7 : i64, kernel = array<i64: 32, 32>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false} : (tensor<1x8x32x32xui8>) -> tensor<*xi32>
  %3 = graph.integer_mul %x, %g {lhsZeroPoint = 0 : i64, rhsZeroPoint = 4 : i64} : (tensor<1x8x32x32xui8>, tensor<1x8x1x1xui8>) -> tensor<*xi32>
  return
}

// [integer_conv.3], [integer_matmul.3]
// CHECK-LABEL: func.func @a_wide_bias_makes_wide_sums
// CHECK: %[[SUMS:.*]] = graph.integer_conv {{.*}} -> tensor<1x16x30x30xi64>
// CHECK: graph.integer_matmul {{.*}} -> tensor<4x10xi64>
// CHECK: graph.requantize %[[SUMS]], {{.*}} -> tensor<1x16x30x30xi16>
func.func @a_wide_bias_makes_wide_sums(%x: tensor<1x8x32x32xi16>, %w: tensor<16x8x3x3xi8>, %b: tensor<16xi64>, %l: tensor<4x64xi16>, %r: tensor<64x10xi8>, %c: tensor<10xi64>, %m: tensor<i32>) {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x32xi16>, tensor<16x8x3x3xi8>, tensor<16xi64>) -> tensor<*xi64>
  %1 = graph.integer_matmul %l, %r, %c {lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64} : (tensor<4x64xi16>, tensor<64x10xi8>, tensor<10xi64>) -> tensor<*xi64>
  %2 = graph.requantize %0, %m, %m {axis = 1 : i64, to = i16, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -32768 : i64, high = 32767 : i64, rounding = 2 : i32}
      : (tensor<*xi64>, tensor<i32>, tensor<i32>) -> tensor<*xi16>
  return
}

// CHECK-LABEL: func.func @results_have_the_type_asked_for
// CHECK: graph.requantize {{.*}} -> tensor<1x16x4x4xi8>
// CHECK: graph.integer_add {{.*}} -> tensor<1x16x4x4xi16>
// CHECK: graph.lookup {{.*}} -> tensor<1x16x4x4xui8>
func.func @results_have_the_type_asked_for(%x: tensor<1x16x4x4xi32>, %m: tensor<16xi32>, %s: tensor<16xi32>, %a: tensor<1x16x4x4xi8>, %t: tensor<256xui8>) {
  %0 = graph.requantize %x, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = -3 : i64, low = -3 : i64, high = 127 : i64, rounding = 0 : i32}
      : (tensor<1x16x4x4xi32>, tensor<16xi32>, tensor<16xi32>) -> tensor<*xi8>
  %1 = graph.integer_add %a, %a {to = i16, lhsZeroPoint = 1 : i64, rhsZeroPoint = 2 : i64, lhsMultiplier = 5 : i64, rhsMultiplier = -6 : i64, shift = 3 : i64, zeroPoint = 0 : i64, low = -32768 : i64, high = 32767 : i64, rounding = 1 : i32}
      : (tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>) -> tensor<*xi16>
  %2 = graph.lookup %a, %t : (tensor<1x16x4x4xi8>, tensor<256xui8>) -> tensor<*xui8>
  return
}

// -----

func.func @conv_takes_narrow_integers(%x: tensor<1x8x32x32xi32>, %w: tensor<16x8x3x3xi8>) {
  // [integer_conv.1]
  // expected-error@+1 {{expects an input of an integer type of 8 or 16 bits, got 'i32'}}
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x32xi32>, tensor<16x8x3x3xi8>) -> tensor<*xi32>
  return
}

// -----

func.func @zero_point_is_a_value(%x: tensor<1x8x32x32xui8>, %w: tensor<16x8x3x3xi8>) {
  // [integer_conv.2]
  // expected-error@+1 {{expects inputZeroPoint to be representable in 'ui8', got -1}}
  %0 = graph.integer_conv %x, %w {inputZeroPoint = -1 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x32xui8>, tensor<16x8x3x3xi8>) -> tensor<*xi32>
  return
}

// -----

func.func @zero_points_of_all_channels(%x: tensor<1x8x32x32xui8>, %w: tensor<16x8x3x3xi8>, %b: tensor<16xi32>, %z: tensor<8xi32>) {
  // [integer_conv.4]
  // expected-error@+1 {{expects the zero points per channel to be a vector of 16 elements, got 'tensor<8xi32>'}}
  %0 = graph.integer_conv %x, %w, %b, %z {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x32x32xui8>, tensor<16x8x3x3xi8>, tensor<16xi32>, tensor<8xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @either_kind_of_zero_points(%x: tensor<4x64xi8>, %w: tensor<64x8xi8>, %z: tensor<8xi32>) {
  // [integer_matmul.4]
  // expected-error@+1 {{expects zero point 0 of the weights beside zero points per channel, got 3}}
  %0 = graph.integer_matmul %x, %w, %z, %z {lhsZeroPoint = 0 : i64, rhsZeroPoint = 3 : i64} : (tensor<4x64xi8>, tensor<64x8xi8>, tensor<8xi32>, tensor<8xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @at_most_two_vectors(%x: tensor<4x64xi8>, %w: tensor<64x8xi8>, %z: tensor<8xi32>) {
  // [integer_matmul.4]
  // expected-error@+1 {{expects at most a bias and zero points per channel, got 3 vectors}}
  %0 = graph.integer_matmul %x, %w, %z, %z, %z {lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64} : (tensor<4x64xi8>, tensor<64x8xi8>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @product_needs_columns(%x: tensor<4x64xi8>, %w: tensor<64xi8>) {
  // [integer_matmul.1]
  // expected-error@+1 {{expects a right operand of rank 2 or more, got 'tensor<64xi8>'}}
  %0 = graph.integer_matmul %x, %w {lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64} : (tensor<4x64xi8>, tensor<64xi8>) -> tensor<*xi32>
  return
}

// -----

func.func @multiplier_per_channel(%x: tensor<1x16x4x4xi32>, %m: tensor<4xi32>) {
  // [requantize.2]
  // expected-error@+1 {{expects one multiplier per index of axis 1 of 'tensor<1x16x4x4xi32>', got 4}}
  %0 = graph.requantize %x, %m, %m {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32}
      : (tensor<1x16x4x4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<*xi8>
  return
}

// -----

func.func @shift_rounds(%x: tensor<8xi32>) {
  %m = graph.constant dense<5> : tensor<i32>
  %s = graph.constant dense<0> : tensor<i32>
  // [requantize.3]
  // expected-error@+1 {{expects a shift in [1, 62], got 0}}
  %0 = graph.requantize %x, %m, %s {axis = 0 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 0 : i32}
      : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<*xi8>
  return
}

// -----

func.func @bounds_are_in_order(%x: tensor<8xi32>, %m: tensor<i32>) {
  // [requantize.4]
  // expected-error@+1 {{expects low <= high, got 3 and 2}}
  %0 = graph.requantize %x, %m, %m {axis = 0 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = 3 : i64, high = 2 : i64, rounding = 0 : i32}
      : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<*xi8>
  return
}

// -----

func.func @table_is_whole(%x: tensor<8xi8>, %t: tensor<255xi8>) {
  // [lookup.1]
  // expected-error@+1 {{expects the table to be a vector of 256 elements}}
  %0 = graph.lookup %x, %t : (tensor<8xi8>, tensor<255xi8>) -> tensor<*xi8>
  return
}

// -----

// CHECK-LABEL: func.func @normalization_gives_products
// CHECK: graph.integer_lrn {{.*}} -> tensor<1x8x2x2xi32>
func.func @normalization_gives_products(%x: tensor<1x8x2x2xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<1x8x2x2xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

func.func @normalization_of_bytes(%x: tensor<1x8x2x2xi16>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // [integer_lrn.1]
  // expected-error@+1 {{expects an input of an integer type of 8 bits, got 'i16'}}
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<1x8x2x2xi16>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

func.func @normalization_needs_channels(%x: tensor<8xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // [integer_lrn.1]
  // expected-error@+1 {{expects an input with a channel dimension, got}}
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<8xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

func.func @normalization_over_some_channels(%x: tensor<1x8x2x2xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // [integer_lrn.1]
  // expected-error@+1 {{expects a size in [1, 255], got 256}}
  %0 = graph.integer_lrn %x, %near, %far {size = 256 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<1x8x2x2xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

func.func @normalization_by_tables(%x: tensor<1x8x2x2xi8>, %near: tensor<5xi16>, %far: tensor<3xi8>) {
  // [integer_lrn.2]
  // expected-error@+1 {{expects i16 tables of two or more entries, got 'tensor<3xi8>'}}
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<1x8x2x2xi8>, tensor<5xi16>, tensor<3xi8>) -> tensor<*xi32>
  return
}

// -----

func.func @tables_have_a_width(%x: tensor<1x8x2x2xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // [integer_lrn.3]
  // expected-error@+1 {{expects shifts in [0, 16], got 17}}
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 17 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<1x8x2x2xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

func.func @tables_leave_no_gap(%x: tensor<1x8x2x2xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // [integer_lrn.3]
  // expected-error@+1 {{expects farStart in [0, 16], got 17}}
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 17 : i64, farShift = 4 : i64, bias = 0 : i64}
      : (tensor<1x8x2x2xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

func.func @products_do_not_wrap(%x: tensor<1x8x2x2xi8>, %near: tensor<5xi16>, %far: tensor<3xi16>) {
  // [integer_lrn.4]
  // expected-error@+1 {{expects a bias below 2^30 in magnitude, got 1073741824}}
  %0 = graph.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 0 : i64, nearShift = 2 : i64, farStart = 16 : i64, farShift = 4 : i64, bias = 1073741824 : i64}
      : (tensor<1x8x2x2xi8>, tensor<5xi16>, tensor<3xi16>) -> tensor<*xi32>
  return
}

// -----

// CHECK-LABEL: @zero_points_at_run_time
// CHECK: graph.byte_matmul {{.*}} -> tensor<4x10xi32>
// CHECK: graph.dynamic_scale {{.*}} -> (tensor<f32>, tensor<ui8>)
func.func @zero_points_at_run_time(%x: tensor<4x64xui8>, %w: tensor<64x10xi8>, %zx: tensor<4x1xui8>, %zw: tensor<1x10xi8>, %y: tensor<4x3xf32>) {
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<4x64xui8>, tensor<64x10xi8>, tensor<4x1xui8>, tensor<1x10xi8>) -> tensor<*xi32>
  %1, %2 = graph.dynamic_scale %y : (tensor<4x3xf32>) -> (tensor<*xf32>, tensor<*xui8>)
  return
}

// -----

// [byte_matmul.1]
func.func @product_of_bytes_only(%x: tensor<4x64xi16>, %w: tensor<64x10xi8>, %zx: tensor<i16>, %zw: tensor<i8>) {
  // expected-error@+1 {{expects a left operand of an integer type of 8 bits, got}}
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<4x64xi16>, tensor<64x10xi8>, tensor<i16>, tensor<i8>) -> tensor<*xi32>
  return
}

// -----

// [byte_matmul.1]
func.func @product_of_matrices_only(%x: tensor<64xi8>, %w: tensor<64x10xi8>, %z: tensor<i8>) {
  // expected-error@+1 {{expects a left operand of rank 2 or more, got 'tensor<64xi8>'}}
  %0 = graph.byte_matmul %x, %w, %z, %z : (tensor<64xi8>, tensor<64x10xi8>, tensor<i8>, tensor<i8>) -> tensor<*xi32>
  return
}

// -----

// [byte_matmul.2]
func.func @zero_point_per_row(%x: tensor<4x64xi8>, %w: tensor<64x10xi8>, %zx: tensor<1x64xi8>, %zw: tensor<i8>) {
  // expected-error@+1 {{expects a left zero point that is a scalar or has one entry per row of 'tensor<4x64xi8>', got 'tensor<1x64xi8>'}}
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<4x64xi8>, tensor<64x10xi8>, tensor<1x64xi8>, tensor<i8>) -> tensor<*xi32>
  return
}

// -----

// [byte_matmul.2]
func.func @zero_point_per_column(%x: tensor<4x64xi8>, %w: tensor<64x10xi8>, %zx: tensor<i8>, %zw: tensor<64x1xi8>) {
  // expected-error@+1 {{expects a right zero point that is a scalar or has one entry per column of 'tensor<64x10xi8>', got 'tensor<64x1xi8>'}}
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<4x64xi8>, tensor<64x10xi8>, tensor<i8>, tensor<64x1xi8>) -> tensor<*xi32>
  return
}

// -----

// [dynamic_scale.1]
func.func @scale_of_f32_only(%x: tensor<4xf64>) {
  // expected-error@+1 {{expects an input of f32, got 'tensor<4xf64>'}}
  %0, %1 = graph.dynamic_scale %x : (tensor<4xf64>) -> (tensor<*xf32>, tensor<*xui8>)
  return
}
