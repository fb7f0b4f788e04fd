// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// Resampling and regions of interest.

// CHECK-LABEL: func.func @scales_multiply_in_f32
// CHECK: graph.resize {{.*}} -> tensor<1x2x7x4xf32>
func.func @scales_multiply_in_f32(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[2.3333333, 0.5]> : tensor<2xf32>
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1, 0>}
      : (tensor<1x2x3x8xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @sizes_are_taken
// CHECK: graph.resize {{.*}} -> tensor<1x2x6x4xf32>
func.func @sizes_are_taken(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[6, 4]> : tensor<2xi64>
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x3x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @not_larger_takes_the_smaller_scale
// CHECK: graph.resize {{.*}} -> tensor<1x2x3x8xf32>
func.func @not_larger_takes_the_smaller_scale(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[7, 8]> : tensor<2xi64>
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 1 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x3x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @not_smaller_takes_the_larger_scale
// CHECK: graph.resize {{.*}} -> tensor<1x2x7x19xf32>
func.func @not_smaller_takes_the_larger_scale(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[7, 8]> : tensor<2xi64>
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 2 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x3x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @grid_gives_the_points
// CHECK: graph.grid_sample {{.*}} -> tensor<2x3x6x7xf32>
func.func @grid_gives_the_points(%a: tensor<2x3x4x5xf32>, %b: tensor<2x6x7x2xf32>) {
  %r = graph.grid_sample %a, %b {mode = 1 : i32, padding = 0 : i32, alignCorners = false}
      : (tensor<2x3x4x5xf32>, tensor<2x6x7x2xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @regions_are_the_batch
// CHECK: graph.roi_align {{.*}} -> tensor<5x3x3x2xf32>
func.func @regions_are_the_batch(%a: tensor<2x3x8x8xf32>, %b: tensor<5x4xf32>, %c: tensor<5xi64>) {
  %r = graph.roi_align %a, %b, %c {outputHeight = 3 : i64, outputWidth = 2 : i64, samplingRatio = 0 : i64, spatialScale = 1.0 : f64, halfPixel = true, takesMax = false}
      : (tensor<2x3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @number_of_boxes_is_open
// CHECK: graph.non_max_suppression {{.*}} -> tensor<?x3xi64>
func.func @number_of_boxes_is_open(%a: tensor<1x6x4xf32>, %b: tensor<1x2x6xf32>) {
  %r = graph.non_max_suppression %a, %b {boxesAreCentered = false, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
      : (tensor<1x6x4xf32>, tensor<1x2x6xf32>) -> tensor<*xi64>
  return
}

// -----

func.func @negative_scale(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  // expected-error@+1 {{'graph.resize' op expects a positive scale and a resulting size below 2^48, got -1.000000e+00 x 3}}
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1, 0>}
      : (tensor<1x2x3x8xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @scale_too_many(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[2.0, 2.0, 2.0]> : tensor<3xf32>
  // expected-error@+1 {{'graph.resize' op expects scales to be a vector of 2 elements, got 'tensor<3xf32>'}}
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1, 0>}
      : (tensor<1x2x3x8xf32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @negative_size(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[1, -5]> : tensor<2xi64>
  // expected-error@+1 {{'graph.resize' op expects sizes in [0, 2^48], got -5}}
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x3x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @nothing_to_sample(%a: tensor<1x2x0x8xf32>) {
  %s = graph.constant dense<[1, 5]> : tensor<2xi64>
  // expected-error@+1 {{'graph.resize' op cannot resize an empty dimension to 1 elements}}
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x0x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @axis_twice(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[1, 5]> : tensor<2xi64>
  // expected-error@+1 {{'graph.resize' op expects distinct axes within the rank of 'tensor<1x2x3x8xf32>', got axis 2}}
  %r = graph.resize %a, %s {axes = array<i64: 2, 2>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x3x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @crop_without_a_roi(%a: tensor<1x2x3x8xf32>) {
  %s = graph.constant dense<[1, 5]> : tensor<2xi64>
  // expected-error@+1 {{'graph.resize' op requires the operand roi for tf_crop_and_resize}}
  %r = graph.resize %a, %s {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 6 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<1x2x3x8xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @neither_scales_nor_sizes(%a: tensor<1x2x3x8xf32>) {
  // expected-error@+1 {{'graph.resize' op expects either scales or sizes, got neither}}
  %r = graph.resize %a {axes = array<i64: 2, 3>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 0>}
      : (tensor<1x2x3x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @grid_of_another_batch(%a: tensor<2x3x4x5xf32>, %b: tensor<3x6x7x2xf32>) {
  // expected-error@+1 {{'graph.grid_sample' op expects a grid with the input's batch size and 2 coordinates per point, got 'tensor<3x6x7x2xf32>' for 'tensor<2x3x4x5xf32>'}}
  %r = graph.grid_sample %a, %b {mode = 1 : i32, padding = 0 : i32, alignCorners = false}
      : (tensor<2x3x4x5xf32>, tensor<3x6x7x2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @regions_of_five_numbers(%a: tensor<2x3x8x8xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{'graph.max_roi_pool' op expects 5 values per region, got 'tensor<5x4xf32>'}}
  %r = graph.max_roi_pool %a, %b {pooledShape = array<i64: 2, 2>, spatialScale = 1.0 : f64}
      : (tensor<2x3x8x8xf32>, tensor<5x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @empty_cells(%a: tensor<2x3x8x8xf32>, %b: tensor<5x5xf32>) {
  // expected-error@+1 {{'graph.max_roi_pool' op expects a pooled height of 1 or more, got 0}}
  %r = graph.max_roi_pool %a, %b {pooledShape = array<i64: 0, 2>, spatialScale = 1.0 : f64}
      : (tensor<2x3x8x8xf32>, tensor<5x5xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @scores_of_other_boxes(%a: tensor<1x6x4xf32>, %b: tensor<1x2x7xf32>) {
  // expected-error@+1 {{'graph.non_max_suppression' op expects boxes N x B x 4 and scores N x classes x B, got 'tensor<1x6x4xf32>' and 'tensor<1x2x7xf32>'}}
  %r = graph.non_max_suppression %a, %b {boxesAreCentered = false, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}
      : (tensor<1x6x4xf32>, tensor<1x2x7xf32>) -> tensor<*xi64>
  return
}
