// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-fusion-fuse-rows))' | FileCheck %s

// CHECK-LABEL: @softmax_is_one_kernel
// CHECK: graph.kernel %arg0, %arg1 {
// CHECK: graph.binary add
// CHECK: graph.reduce max
// CHECK: graph.unary exp
// CHECK: graph.reduce sum
// CHECK: graph.binary div
// CHECK: graph.unary relu
// CHECK: graph.yield
// CHECK-NOT: graph.reduce
func.func @softmax_is_one_kernel(%x: tensor<4x64xf32>, %m: tensor<64xf32>) -> tensor<4x64xf32> {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.binary add %x, %m : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
  %1 = graph.reduce max %0 over %axis {keepDims = true} : (tensor<4x64xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %2 = graph.binary sub %0, %1 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  %3 = graph.unary exp %2 : (tensor<4x64xf32>) -> tensor<4x64xf32>
  %4 = graph.reduce sum %3 over %axis {keepDims = true} : (tensor<4x64xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %5 = graph.binary div %3, %4 : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
  %6 = graph.unary relu %5 : (tensor<4x64xf32>) -> tensor<4x64xf32>
  return %6 : tensor<4x64xf32>
}

// -----

// The bias belongs to the product before the norm, the residual to the product after it.
// CHECK-LABEL: @products_keep_their_epilogues
// CHECK: graph.matmul
// CHECK-NEXT: graph.binary add
// CHECK-NEXT: %[[NORM:.*]] = graph.kernel
// CHECK: graph.reduce mean
// CHECK: graph.reduce mean
// CHECK: graph.yield
// CHECK: %[[P:.*]] = graph.matmul %[[NORM]]
// CHECK-NEXT: graph.binary add %[[P]], %[[NORM]]
func.func @products_keep_their_epilogues(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>, %b: tensor<32xf32>) -> tensor<8x32xf32> {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %eps = graph.constant dense<1.0e-5> : tensor<f32>
  %0 = graph.matmul %x, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %1 = graph.binary add %0, %b : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %2 = graph.reduce mean %1 over %axis {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8x1xf32>
  %3 = graph.binary sub %1, %2 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  %4 = graph.binary mul %3, %3 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %5 = graph.reduce mean %4 over %axis {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8x1xf32>
  %6 = graph.binary add %5, %eps : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %7 = graph.unary sqrt %6 : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %8 = graph.binary div %3, %7 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  %9 = graph.matmul %8, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %10 = graph.binary add %9, %8 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %10 : tensor<8x32xf32>
}

// -----

// The variance is the mean of squares minus the square of the mean. A reshape restores dimensions.
// CHECK-LABEL: @reductions_join_through_their_readers
// CHECK: graph.kernel %arg0 {
// CHECK: graph.reduce mean
// CHECK: graph.reduce mean
// CHECK: graph.yield
// CHECK-NOT: graph.reduce
func.func @reductions_join_through_their_readers(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %shape = graph.constant dense<[8, 1]> : tensor<2xi64>
  %0 = graph.reduce mean %x over %axis {keepDims = false} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8xf32>
  %1 = graph.reshape %0, %shape : (tensor<8xf32>, tensor<2xi64>) -> tensor<8x1xf32>
  %2 = graph.binary sub %x, %1 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  %3 = graph.binary mul %1, %1 : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %4 = graph.binary mul %x, %x : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %5 = graph.reduce mean %4 over %axis {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8x1xf32>
  %6 = graph.binary sub %5, %3 : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %7 = graph.unary sqrt %6 : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %8 = graph.binary div %2, %7 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  return %8 : tensor<8x32xf32>
}

// -----

// A reader between the ops of the group moves behind the kernel. It does not feed the group.
// CHECK-LABEL: @reader_moves_behind
// CHECK: %[[K:.*]]:2 = graph.kernel
// CHECK: graph.transpose %[[K]]#0
func.func @reader_moves_behind(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<32x8xf32>) {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.unary exp %x : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0>} : (tensor<8x32xf32>) -> tensor<32x8xf32>
  %2 = graph.reduce sum %0 over %axis {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8x1xf32>
  %3 = graph.binary div %0, %2 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  return %3, %1 : tensor<8x32xf32>, tensor<32x8xf32>
}

// -----

// The op that reads the product of the mean would need a cycle.
// CHECK-LABEL: @cycles_stay_apart
// CHECK-NOT: graph.kernel
// CHECK: graph.reduce mean
// CHECK: graph.matmul
// CHECK: graph.binary mul
func.func @cycles_stay_apart(%x: tensor<8x32xf32>, %w: tensor<1x1xf32>) -> tensor<8x32xf32> {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce mean %x over %axis {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8x1xf32>
  %1 = graph.matmul %0, %w : (tensor<8x1xf32>, tensor<1x1xf32>) -> tensor<8x1xf32>
  %2 = graph.binary mul %x, %1 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// -----

// A reduction over rows, and a single reduction.
// CHECK-LABEL: @other_reductions_stay
// CHECK-NOT: graph.kernel
func.func @other_reductions_stay(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x1xf32>) {
  %rows = graph.constant dense<0> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce mean %x over %rows {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<1x32xf32>
  %1 = graph.binary sub %x, %0 : (tensor<8x32xf32>, tensor<1x32xf32>) -> tensor<8x32xf32>
  %2 = graph.unary abs %x : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %3 = graph.reduce sum %2 over %axis {keepDims = true} : (tensor<8x32xf32>, tensor<1xi64>) -> tensor<8x1xf32>
  return %1, %3 : tensor<8x32xf32>, tensor<8x1xf32>
}
