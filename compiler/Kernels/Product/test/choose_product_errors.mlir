// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},func.func(convoy-layout-choose-layouts))'

// A record with a configuration that does not fit the kernel.
func.func @strided_columns(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{the columns of the right factor are not contiguous f32, so pack must be 1}}
  %0 = graph.kernel %x, %y {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>):
    %1 = graph.transpose %b {perm = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = graph.matmul %a, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2 : tensor<8x8xf32>
  } {layout.measured = [{config = #kernel.product<rows = 4, vectors = 1, depth = 8, columns = 8, unroll = 4, pack = 0>, ns = 1.0}]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @uneven_passes(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{the product sums 8 elements, which passes of depth = 3 do not divide}}
  %0 = graph.kernel %x, %y {
  ^bb0(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>):
    %1 = graph.matmul %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  } {layout.measured = [{config = #kernel.product<rows = 4, vectors = 1, depth = 3, columns = 8, unroll = 4, pack = 0>, ns = 1.0}]} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @narrow_result(%x: tensor<8x8xf16>, %y: tensor<8x8xf16>) -> tensor<8x8xf16> {
  // expected-error@+1 {{the result cannot hold partial sums, so depth must cover the product}}
  %0 = graph.kernel %x, %y {
  ^bb0(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>):
    %1 = graph.matmul %a, %b : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    graph.yield %1 : tensor<8x8xf16>
  } {layout.measured = [{config = #kernel.product<rows = 4, vectors = 1, depth = 4, columns = 8, unroll = 4, pack = 1>, ns = 1.0}]} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %0 : tensor<8x8xf16>
}
