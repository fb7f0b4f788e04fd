// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-place-check-cpu)' | FileCheck %s

// The contract accepts a supported graph and leaves it unchanged.
// CHECK-LABEL: @supported_graph_is_unchanged
// CHECK-NEXT: graph.unary abs
// CHECK-NEXT: return
func.func @supported_graph_is_unchanged(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
