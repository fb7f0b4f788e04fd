// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-fusion-check-contract))'

func.func @loose_op_is_refused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is outside graph.kernel after fusion}}
  %0 = graph.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @views_may_stand_outside(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %shape = graph.constant dense<2> : tensor<2xi64>
  %0 = graph.reshape %x, %shape : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
