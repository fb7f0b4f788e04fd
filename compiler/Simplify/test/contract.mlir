// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-check-contract))'

func.func @vague_type_is_refused(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{has type 'tensor<?xf32>' after the graph stage, expected at least the type of its type rule, 'tensor<4xf32>'}}
  %0 = graph.unary abs %x : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
