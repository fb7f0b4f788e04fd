// RUN: convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// CHECK-LABEL: @shape_arithmetic_is_evaluated
// CHECK-SAME: -> tensor<6xf32>
// CHECK: graph.reshape {{.*}} -> tensor<6xf32>
func.func @shape_arithmetic_is_evaluated(%x: tensor<2x3xf32>) -> tensor<?xf32> {
  %shape = graph.shape %x : (tensor<2x3xf32>) -> tensor<2xi64>
  %axes = graph.constant dense<0> : tensor<1xi64>
  %count = graph.reduce prod %shape over %axes {keepDims = true} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %0 = graph.reshape %x, %count : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
