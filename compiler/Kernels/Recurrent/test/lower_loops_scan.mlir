// RUN: convoy-opt %s -verify-diagnostics -convoy-kernels-lower-loops

// The generic loops do not support a scan inside a kernel.
task.kernel @scan_without_template(%h: tensor<1x4xf32>, %x: tensor<5x1x4xf32>) -> tensor<5x1x4xf32> {
  // expected-error @+1 {{is inside a kernel of the generic loops, which do not support it; expected the configuration of a template}}
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x4xf32>, %p: tensor<1x4xf32>):
    %0 = graph.binary add %s, %p : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    graph.yield %0, %0 : tensor<1x4xf32>, tensor<1x4xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x4xf32>, tensor<5x1x4xf32>) -> (tensor<1x4xf32>, tensor<5x1x4xf32>)
  task.return %r#1 : tensor<5x1x4xf32>
}
