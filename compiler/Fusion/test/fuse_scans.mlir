// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-fusion-fuse-scans,convoy-fusion-fuse-kernels))' | FileCheck %s

// The kernel contains the scan. The matrix is an operand of the kernel, the axes of the slice are
// inside the kernel. No kernel is inside another kernel.
// CHECK-LABEL: @recurrent_scan_is_one_kernel
// CHECK: %[[W:.*]] = graph.constant {{.*}} tensor<4x8xf32>
// CHECK: graph.kernel %arg0, %arg1, %[[W]] {
// CHECK: graph.constant dense<4> : tensor<1xi64>
// CHECK: graph.scan
// CHECK-NOT: graph.kernel
// CHECK: graph.matmul
// CHECK: graph.slice
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @recurrent_scan_is_one_kernel(%h: tensor<1x4xf32>, %x: tensor<5x1x8xf32>) -> tensor<5x1x4xf32> {
  %w = graph.constant dense<2.0> : tensor<4x8xf32>
  %start = graph.constant dense<4> : tensor<1xi64>
  %end = graph.constant dense<8> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x4xf32>, %p: tensor<1x8xf32>):
    %0 = graph.matmul %s, %w : (tensor<1x4xf32>, tensor<4x8xf32>) -> tensor<1x8xf32>
    %1 = graph.binary add %0, %p : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
    %2 = graph.slice %1, %start, %end, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
    graph.yield %2, %2 : tensor<1x4xf32>, tensor<1x4xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x4xf32>, tensor<5x1x8xf32>) -> (tensor<1x4xf32>, tensor<5x1x4xf32>)
  return %r#1 : tensor<5x1x4xf32>
}

// -----

// The matrix is not constant, so each step runs the kernels of the body.
// CHECK-LABEL: @computed_matrix
// CHECK: graph.scan
// CHECK: graph.kernel
// CHECK: graph.matmul
func.func @computed_matrix(%h: tensor<1x4xf32>, %x: tensor<5x1x4xf32>, %w: tensor<4x4xf32>) -> tensor<5x1x4xf32> {
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %0 = graph.matmul %s, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %1 = graph.binary add %0, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    graph.yield %1, %1 : tensor<1x4xf32>, tensor<1x4xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x4xf32>, tensor<5x1x4xf32>) -> (tensor<1x4xf32>, tensor<5x1x4xf32>)
  return %r#1 : tensor<5x1x4xf32>
}

// -----

// A slice of rows mixes the entries of the batch.
// CHECK-LABEL: @rows_are_mixed
// CHECK: graph.scan
// CHECK: graph.kernel
func.func @rows_are_mixed(%h: tensor<2x4xf32>, %x: tensor<5x2x4xf32>) -> tensor<5x2x4xf32> {
  %w = graph.constant dense<2.0> : tensor<4x4xf32>
  %start = graph.constant dense<-1> : tensor<1xi64>
  %end = graph.constant dense<-9> : tensor<1xi64>
  %axis = graph.constant dense<0> : tensor<1xi64>
  %step = graph.constant dense<-1> : tensor<1xi64>
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<2x4xf32>, %p: tensor<2x4xf32>):
    %0 = graph.matmul %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = graph.slice %0, %start, %end, %axis, %step {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<2x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x4xf32>
    graph.yield %1, %1 : tensor<2x4xf32>, tensor<2x4xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<2x4xf32>, tensor<5x2x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>)
  return %r#1 : tensor<5x2x4xf32>
}
