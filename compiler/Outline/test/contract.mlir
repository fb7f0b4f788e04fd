// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-outline-check-contract)'

func.func @kernel_region_is_refused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{remains after the tasks stage; run convoy-outline-split-kernels}}
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.unary abs %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
