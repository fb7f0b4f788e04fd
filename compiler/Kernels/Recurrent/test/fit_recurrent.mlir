// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},func.func(convoy-layout-choose-layouts))'

// A record may contain a configuration that does not fit the scan.

func.func @generic_loops(%h: tensor<8x40xf32>, %x: tensor<5x8x40xf32>) -> tensor<5x8x40xf32> {
  %w = graph.constant dense<2.0> : tensor<40x40xf32>
  // expected-error @+1 {{has an entry in layout.measured that does not fit it: the kernel cannot run as generic loops: the generic loops do not support graph.scan}}
  %r = graph.kernel %h, %x, %w {
  ^bb0(%a: tensor<8x40xf32>, %b: tensor<5x8x40xf32>, %c: tensor<40x40xf32>):
    %k:2 = graph.scan %a, %b {
    ^bb0(%s: tensor<8x40xf32>, %p: tensor<8x40xf32>):
      %0 = graph.matmul %s, %c : (tensor<8x40xf32>, tensor<40x40xf32>) -> tensor<8x40xf32>
      %1 = graph.binary add %0, %p : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
      graph.yield %1, %1 : tensor<8x40xf32>, tensor<8x40xf32>
    } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<8x40xf32>, tensor<5x8x40xf32>) -> (tensor<8x40xf32>, tensor<5x8x40xf32>)
    graph.yield %k#1 : tensor<5x8x40xf32>
  } {layout.measured = [{ns = 1.0 : f64}]} : (tensor<8x40xf32>, tensor<5x8x40xf32>, tensor<40x40xf32>) -> tensor<5x8x40xf32>
  return %r : tensor<5x8x40xf32>
}

// -----

func.func @ragged_batch(%h: tensor<8x40xf32>, %x: tensor<5x8x40xf32>) -> tensor<5x8x40xf32> {
  %w = graph.constant dense<2.0> : tensor<40x40xf32>
  // expected-error @+1 {{has an entry in layout.measured that does not fit it: the kernel cannot run as #kernel.recurrent<vectors = 3, depth = 4, unroll = 3>: a batch of 8 is not a multiple of unroll = 3}}
  %r = graph.kernel %h, %x, %w {
  ^bb0(%a: tensor<8x40xf32>, %b: tensor<5x8x40xf32>, %c: tensor<40x40xf32>):
    %k:2 = graph.scan %a, %b {
    ^bb0(%s: tensor<8x40xf32>, %p: tensor<8x40xf32>):
      %0 = graph.matmul %s, %c : (tensor<8x40xf32>, tensor<40x40xf32>) -> tensor<8x40xf32>
      %1 = graph.binary add %0, %p : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
      graph.yield %1, %1 : tensor<8x40xf32>, tensor<8x40xf32>
    } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<8x40xf32>, tensor<5x8x40xf32>) -> (tensor<8x40xf32>, tensor<5x8x40xf32>)
    graph.yield %k#1 : tensor<5x8x40xf32>
  } {layout.measured = [{config = #kernel.recurrent<vectors = 3, depth = 4, unroll = 3>, ns = 1.0 : f64}]} : (tensor<8x40xf32>, tensor<5x8x40xf32>, tensor<40x40xf32>) -> tensor<5x8x40xf32>
  return %r : tensor<5x8x40xf32>
}
