// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-layout-check-layouts))'

func.func @only_kernels_read_layouts(%x: tensor<1x16x4x4xf32, #graph.blocked<c = 8>>) -> tensor<1x16x4x4xf32, #graph.blocked<c = 8>> {
  // expected-error@+1 {{has an operand with a layout encoding}}
  return %x : tensor<1x16x4x4xf32, #graph.blocked<c = 8>>
}

func.func @reorder_passes(%x: tensor<1x16x4x4xf32, #graph.blocked<c = 8>>) -> tensor<1x16x4x4xf32> {
  %0 = graph.reorder %x : (tensor<1x16x4x4xf32, #graph.blocked<c = 8>>) -> tensor<1x16x4x4xf32>
  return %0 : tensor<1x16x4x4xf32>
}

// -----

func.func @types_differ_inside(%x: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  // expected-error@+1 {{has operand or result types that differ from the types in its body}}
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<1x16x4x4xf32, #graph.blocked<c = 8>>):
    %1 = graph.unary relu %a : (tensor<1x16x4x4xf32, #graph.blocked<c = 8>>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %0 : tensor<1x16x4x4xf32>
}
