// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// CHECK-LABEL: func.func @axes_become_one_or_go
// CHECK-SAME: -> (tensor<2x1x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<2x3x4xf32>)
func.func @axes_become_one_or_go(%x: tensor<2x3x4xf32>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %axes = graph.constant dense<-2> : tensor<1xi64>
  %none = graph.constant dense<> : tensor<0xi64>
  %0 = graph.reduce sum %x over %axes {keepDims = true} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<*xf32>
  %1 = graph.reduce sum %x over %axes {keepDims = false} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<*xf32>
  %2 = graph.reduce sum %x over %none {keepDims = false} : (tensor<2x3x4xf32>, tensor<0xi64>) -> tensor<*xf32>
  %3 = graph.reduce sum %x over %none {keepDims = false, noopWithEmptyAxes = true} : (tensor<2x3x4xf32>, tensor<0xi64>) -> tensor<*xf32>
  return %0, %1, %2, %3 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// CHECK-LABEL: func.func @unknown_axes_leave_dimensions_open
// CHECK-SAME: -> (tensor<?x?x?xf32>, tensor<?xf32>, tensor<*xf32>)
func.func @unknown_axes_leave_dimensions_open(%x: tensor<2x3x4xf32>, %two: tensor<2xi64>, %some: tensor<?xi64>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %0 = graph.reduce max %x over %some {keepDims = true} : (tensor<2x3x4xf32>, tensor<?xi64>) -> tensor<*xf32>
  %1 = graph.reduce max %x over %two {keepDims = false} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  %2 = graph.reduce max %x over %some {keepDims = false} : (tensor<2x3x4xf32>, tensor<?xi64>) -> tensor<*xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// CHECK-LABEL: func.func @positions_are_i64
// CHECK-SAME: -> tensor<2x4xi64>
func.func @positions_are_i64(%x: tensor<2x3x4xf16>) -> tensor<*xi64> {
  %0 = graph.arg_reduce %x {axis = 1 : i64, keepDims = false, takesMax = true, selectLast = false} : (tensor<2x3x4xf16>) -> tensor<*xi64>
  return %0 : tensor<*xi64>
}

// -----

// [reduce.1]
func.func @an_axis_is_a_dimension(%x: tensor<2x3xf32>) {
  %axes = graph.constant dense<2> : tensor<1xi64>
  // expected-error@+1 {{has axis 2, expected a value in [-2, 2)}}
  %0 = graph.reduce sum %x over %axes {keepDims = true} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

// [reduce.1]
func.func @an_axis_is_named_once(%x: tensor<2x3xf32>) {
  %axes = graph.constant dense<[1, -1]> : tensor<2xi64>
  // expected-error@+1 {{has axis 1 twice in 'axes', expected distinct axes}}
  %0 = graph.reduce sum %x over %axes {keepDims = true} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @only_extremes_take_booleans(%x: tensor<2xi1>) {
  %0 = graph.reduce max %x {keepDims = true} : (tensor<2xi1>) -> tensor<*xi1>
  // expected-error@+1 {{sum expects a numeric type, got 'i1'}}
  %1 = graph.reduce sum %x {keepDims = true} : (tensor<2xi1>) -> tensor<*xi1>
  return
}

// -----

func.func @axes_are_integers(%x: tensor<2xf32>, %axes: tensor<1xf32>) {
  // expected-error@+1 {{expects axes of an integer type, got 'tensor<1xf32>'}}
  %0 = graph.reduce sum %x over %axes {keepDims = true} : (tensor<2xf32>, tensor<1xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @nothing_has_no_largest(%x: tensor<2x0xf32>) {
  // expected-error@+1 {{expects at least one element along axis 1, got 'tensor<2x0xf32>'}}
  %0 = graph.arg_reduce %x {axis = 1 : i64, keepDims = true, takesMax = true, selectLast = false} : (tensor<2x0xf32>) -> tensor<*xi64>
  return
}

// -----

func.func @a_running_sum_has_one_axis(%x: tensor<2x3xf32>) {
  %axes = graph.constant dense<[0, 1]> : tensor<2xi64>
  // expected-error@+1 {{expects one axis, got 2}}
  %0 = graph.cumulative sum %x along %axes {exclusive = false, reverse = false} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

// [det.1]
func.func @matrices_are_square(%x: tensor<5x2x3xf32>) {
  // expected-error@+1 {{expects square matrices in the last two dimensions, got 'tensor<5x2x3xf32>'}}
  %0 = graph.det %x : (tensor<5x2x3xf32>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @onesided_transforms_keep_half
// CHECK-SAME: -> (tensor<1x5x2xf32>, tensor<1x8x1xf32>)
func.func @onesided_transforms_keep_half(%x: tensor<1x8x1xf32>, %y: tensor<1x5x2xf32>) -> (tensor<*xf32>, tensor<*xf32>) {
  %0 = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x8x1xf32>) -> tensor<*xf32>
  %1 = graph.dft %y {inverse = true, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x5x2xf32>) -> tensor<*xf32>
  return %0, %1 : tensor<*xf32>, tensor<*xf32>
}

// -----

func.func @a_signal_is_real_or_complex(%x: tensor<1x8x3xf32>) {
  // expected-error@+1 {{expects a last dimension of size 1 (real) or 2 (complex), got 'tensor<1x8x3xf32>'}}
  %0 = graph.dft %x {inverse = false, onesided = false, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x8x3xf32>) -> tensor<*xf32>
  return
}
