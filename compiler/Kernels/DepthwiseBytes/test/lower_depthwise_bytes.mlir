// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{byte-ops=true},convoy-kernels-lower-depthwise-bytes)' | FileCheck %s

// One step is one row. Rows above and below the input are missing; their views are the nearest rows.
// CHECK-LABEL: @rows_are_steps
// CHECK-SAME: %[[X:.*]]: memref<384xi8>, %[[W:.*]]: memref<208xi8>, %[[B:.*]]: memref<16xi32>
// CHECK-SAME: %[[Y:arg5]]: memref<384xi8>, %[[SCRATCH:.*]]: memref<8xi8>
// CHECK-SAME: range = 6 : i64
// CHECK-SAME: scratch = 8 : i64
// CHECK: scf.for %[[ROW:.*]] = %arg7 to %arg8
// CHECK: arith.maxsi
// CHECK: task.row_view %[[X]][%{{.*}}] rows 6 : memref<384xi8> -> memref<64xi8
// CHECK: task.row_view %[[X]][%[[ROW]]] rows 6
// CHECK: arith.minsi
// CHECK: task.row_view %[[X]][%{{.*}}] rows 6
// CHECK: task.row_view %[[Y]][%[[ROW]]] rows 6
// CHECK: kernel.byte_depthwise
// CHECK-SAME: channels = 8 : i64, dilation = 1 : i64, first = 64 : i64, high = 127 : i64
// CHECK-SAME: inputColumns = 8 : i64, inputZeroPoint = -128 : i64, low = -128 : i64
// CHECK-SAME: outputColumns = 8 : i64, pad = 1 : i64, stride = 1 : i64, tableStep = 16 : i64
// CHECK-SAME: zeroPoint = -3 : i64, zeroStep = -1 : i64
task.kernel @rows_are_steps(%x: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>,
    %w: tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>,
    %b: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %m: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %s: tensor<8xi32, #kernel.lane_quarters<minuend = 31>>)
    -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.depthwise_bytes<channels = 16>} {
  %0 = graph.integer_conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 8 : i64, inputZeroPoint = -128 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, weightZeroPoint = 0 : i64}
      : (tensor<1x8x6x8xi8, #graph.blocked<c = 8>>, tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>) -> tensor<1x8x6x8xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -3 : i64}
      : (tensor<1x8x6x8xi32>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>, tensor<8xi32, #kernel.lane_quarters<minuend = 31>>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
}

// -----

// expected-error@+1 {{which does not fit the kernel: the convolution has 5 x 5 taps, the template expects 3 x 3; this is a bug in convoy's layout stage}}
task.kernel @other_taps(%x: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>,
    %w: tensor<8x1x5x5xi8>, %b: tensor<8xi32>, %m: tensor<8xi32>, %s: tensor<8xi32>)
    -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.depthwise_bytes<channels = 16>} {
  %0 = graph.integer_conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 8 : i64, inputZeroPoint = -128 : i64, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>, weightZeroPoint = 0 : i64}
      : (tensor<1x8x6x8xi8, #graph.blocked<c = 8>>, tensor<8x1x5x5xi8>, tensor<8xi32>) -> tensor<1x8x6x8xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -3 : i64}
      : (tensor<1x8x6x8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
}

// -----

// The byte op gets the zero points of the weights as a table.
// CHECK-LABEL: @zero_points_per_channel
// CHECK: kernel.byte_depthwise
// CHECK-SAME: %arg5[%{{.*}}] to
// CHECK-SAME: zeroStep = 16 : i64
task.kernel @zero_points_per_channel(%x: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>,
    %w: tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>,
    %b: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %m: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %s: tensor<8xi32, #kernel.lane_quarters<minuend = 31>>,
    %z: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>)
    -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.depthwise_bytes<channels = 16, wide = true>} {
  %0 = graph.integer_conv %x, %w, %b, %z {dilations = array<i64: 1, 1>, groups = 8 : i64, inputZeroPoint = -128 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, weightZeroPoint = 0 : i64}
      : (tensor<1x8x6x8xi8, #graph.blocked<c = 8>>, tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>) -> tensor<1x8x6x8xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -3 : i64}
      : (tensor<1x8x6x8xi32>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>, tensor<8xi32, #kernel.lane_quarters<minuend = 31>>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
}

// -----

// A product of two weights can exceed 16 bits although they have no zero points. All channels then
// share zero points of 0 on the stack.
// CHECK-LABEL: @wide_without_zero_points
// CHECK: %[[Z:.*]] = memref.alloca() : memref<16xi32>
// CHECK: kernel.byte_depthwise
// CHECK-SAME: %[[Z]][%{{.*}}] to
// CHECK-SAME: zeroStep = 0 : i64
task.kernel @wide_without_zero_points(%x: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>,
    %w: tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>,
    %b: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %m: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %s: tensor<8xi32, #kernel.lane_quarters<minuend = 31>>)
    -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.depthwise_bytes<channels = 16, wide = true>} {
  %0 = graph.integer_conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 8 : i64, inputZeroPoint = -128 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, weightZeroPoint = 0 : i64}
      : (tensor<1x8x6x8xi8, #graph.blocked<c = 8>>, tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>) -> tensor<1x8x6x8xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -3 : i64}
      : (tensor<1x8x6x8xi32>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>, tensor<8xi32, #kernel.lane_quarters<minuend = 31>>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
}

// -----

// expected-error@+1 {{which does not fit the kernel: the weights have zero points, or two of their products can exceed 16 bits, but the configuration is not wide; this is a bug in convoy's layout stage}}
task.kernel @zero_points_need_wide(%x: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>,
    %w: tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>,
    %b: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %m: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>,
    %s: tensor<8xi32, #kernel.lane_quarters<minuend = 31>>,
    %z: tensor<8xi32, #kernel.lane_quarters<minuend = 0>>)
    -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.depthwise_bytes<channels = 16>} {
  %0 = graph.integer_conv %x, %w, %b, %z {dilations = array<i64: 1, 1>, groups = 8 : i64, inputZeroPoint = -128 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, weightZeroPoint = 0 : i64}
      : (tensor<1x8x6x8xi8, #graph.blocked<c = 8>>, tensor<8x1x3x3xi8, #kernel.depthwise_groups<offset = -128>>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>) -> tensor<1x8x6x8xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -3 : i64}
      : (tensor<1x8x6x8xi32>, tensor<8xi32, #kernel.lane_quarters<minuend = 0>>, tensor<8xi32, #kernel.lane_quarters<minuend = 31>>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
}
