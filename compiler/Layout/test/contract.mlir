// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-layout-check-planar))'

// The contract of the stage is its one pass.
func.func @encoded_argument_gives_encoded_results(%x: tensor<1x8x2x2xf32, #graph.blocked<c = 4>>) -> tensor<1x8x2x2xf32, #graph.blocked<c = 4>> {
  // expected-error@+1 {{later stages take tensors as planar}}
  %0 = graph.unary neg %x : (tensor<1x8x2x2xf32, #graph.blocked<c = 4>>) -> tensor<1x8x2x2xf32, #graph.blocked<c = 4>>
  return %0 : tensor<1x8x2x2xf32, #graph.blocked<c = 4>>
}
