// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{byte-ops=true},func.func(convoy-layout-fold-zero-points))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine,func.func(convoy-layout-fold-zero-points))' | FileCheck %s --check-prefix=OTHER

// 7 - 5 * (1 + 2) = -8 and -1 - 5 * (3 - 4) = 4.
// CHECK-LABEL: @pointwise
// CHECK: %[[BIAS:.*]] = graph.constant dense<[-8, 4]> : tensor<2xi32>
// CHECK: graph.kernel %{{.*}}, %{{.*}}, %[[BIAS]] {
// CHECK: graph.integer_conv {{.*}} inputZeroPoint = 0 : i64
// OTHER-LABEL: @pointwise
// OTHER-NOT: inputZeroPoint = 0 : i64
// OTHER: return
func.func @pointwise(%x: tensor<1x2x3x3xi8>) -> tensor<1x2x3x3xi32> {
  %w = graph.constant dense<[[[[1]], [[2]]], [[[3]], [[-4]]]]> : tensor<2x2x1x1xi8>
  %b = graph.constant dense<[7, -1]> : tensor<2xi32>
  %y = graph.kernel %x, %w, %b {
  ^bb0(%a: tensor<1x2x3x3xi8>, %c: tensor<2x2x1x1xi8>, %d: tensor<2xi32>):
    %0 = graph.integer_conv %a, %c, %d {inputZeroPoint = 5 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<1x2x3x3xi8>, tensor<2x2x1x1xi8>, tensor<2xi32>) -> tensor<1x2x3x3xi32>
    graph.yield %0 : tensor<1x2x3x3xi32>
  } : (tensor<1x2x3x3xi8>, tensor<2x2x1x1xi8>, tensor<2xi32>) -> tensor<1x2x3x3xi32>
  return %y : tensor<1x2x3x3xi32>
}

// The matrix of a product is I x O: 10 - 2 * (1 + 3) = 2 and 20 - 2 * (2 + 4) = 8.
// CHECK-LABEL: @product
// CHECK: graph.constant dense<[2, 8]> : tensor<2xi32>
// CHECK: graph.integer_matmul {{.*}}lhsZeroPoint = 0 : i64
func.func @product(%x: tensor<1x2xi8>) -> tensor<1x2xi32> {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %b = graph.constant dense<[10, 20]> : tensor<2xi32>
  %y = graph.kernel %x, %w, %b {
  ^bb0(%a: tensor<1x2xi8>, %c: tensor<2x2xi8>, %d: tensor<2xi32>):
    %0 = graph.integer_matmul %a, %c, %d {lhsZeroPoint = 2 : i64, rhsZeroPoint = 0 : i64}
        : (tensor<1x2xi8>, tensor<2x2xi8>, tensor<2xi32>) -> tensor<1x2xi32>
    graph.yield %0 : tensor<1x2xi32>
  } : (tensor<1x2xi8>, tensor<2x2xi8>, tensor<2xi32>) -> tensor<1x2xi32>
  return %y : tensor<1x2xi32>
}

// Padding represents the zero point.
// CHECK-LABEL: @padded
// CHECK: graph.integer_conv {{.*}} inputZeroPoint = 5 : i64
func.func @padded(%x: tensor<1x1x3x3xi8>) -> tensor<1x1x3x3xi32> {
  %w = graph.constant dense<1> : tensor<1x1x3x3xi8>
  %b = graph.constant dense<7> : tensor<1xi32>
  %y = graph.kernel %x, %w, %b {
  ^bb0(%a: tensor<1x1x3x3xi8>, %c: tensor<1x1x3x3xi8>, %d: tensor<1xi32>):
    %0 = graph.integer_conv %a, %c, %d {inputZeroPoint = 5 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<1x1x3x3xi8>, tensor<1x1x3x3xi8>, tensor<1xi32>) -> tensor<1x1x3x3xi32>
    graph.yield %0 : tensor<1x1x3x3xi32>
  } : (tensor<1x1x3x3xi8>, tensor<1x1x3x3xi8>, tensor<1xi32>) -> tensor<1x1x3x3xi32>
  return %y : tensor<1x1x3x3xi32>
}
