// RUN: convoy-opt %s -verify-diagnostics

func.func @nodes_are_numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects the attribute 'convcore.nodes' to be an array of i64, found "conv1"}}
  %0 = graph.unary abs %x {convcore.nodes = "conv1"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
