// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-layout-check-planar))'

func.func @blocked_is_refused(%x: tensor<1x16x4x4xf32, #graph.blocked<c = 8>>) -> tensor<1x16x4x4xf32, #graph.blocked<c = 8>> {
  // expected-error@+1 {{has a result with a layout encoding}}
  %0 = graph.unary relu %x : (tensor<1x16x4x4xf32, #graph.blocked<c = 8>>) -> tensor<1x16x4x4xf32, #graph.blocked<c = 8>>
  return %0 : tensor<1x16x4x4xf32, #graph.blocked<c = 8>>
}

func.func @planar_passes(%x: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %0 = graph.unary relu %x : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %0 : tensor<1x16x4x4xf32>
}
