// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-fusion-fuse-kernels))' | FileCheck %s

// CHECK-LABEL: @epilogue_joins_its_convolution
// CHECK: graph.kernel %arg0, %arg1
// CHECK: graph.conv
// CHECK: graph.unary relu
// CHECK: graph.yield
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @epilogue_joins_its_convolution(%x: tensor<1x8x9x9xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x7x7xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x7xf32>
  %1 = graph.unary relu %0 : (tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  return %1 : tensor<1x16x7x7xf32>
}

// -----

// A value read twice ends its kernel.
// CHECK-LABEL: @value_read_twice_is_stored
// CHECK: %[[E:.*]] = graph.kernel %arg0
// CHECK: graph.unary exp
// CHECK: graph.kernel %[[E]]
// CHECK: graph.unary neg
// CHECK: graph.binary mul
func.func @value_read_twice_is_stored(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.unary neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.binary mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Two ops that loop never share a kernel.
// CHECK-LABEL: @products_stay_apart
// CHECK: graph.kernel
// CHECK: graph.matmul
// CHECK: graph.kernel
// CHECK: graph.matmul
func.func @products_stay_apart(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.matmul %0, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A reshape is a view; a scalar constant is copied inside.
// CHECK-LABEL: @reshape_stays_outside
// CHECK: graph.reshape
// CHECK: graph.kernel
// CHECK: graph.constant dense<2.000000e+00>
// CHECK: graph.binary mul
func.func @reshape_stays_outside(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %shape = graph.constant dense<6> : tensor<1xi64>
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  %1 = graph.binary mul %0, %two : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// A smaller operand would be computed again for each element that reads it.
// CHECK-LABEL: @broadcast_operand_is_stored
// CHECK: graph.kernel
// CHECK: graph.unary exp
// CHECK: graph.kernel
// CHECK: graph.binary add
func.func @broadcast_operand_is_stored(%x: tensor<8x4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = graph.unary exp %y : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.binary add %x, %0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
