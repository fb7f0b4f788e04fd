// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(convoy-tasks-check-contract)'

func.func @kernel_region_is_refused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is left after tasks were split}}
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.unary abs %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
