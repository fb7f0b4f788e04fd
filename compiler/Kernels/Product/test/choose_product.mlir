// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts))' | FileCheck %s

// Attention scores: the columns of the right factor are not contiguous, so its panels are packed.
// CHECK-LABEL: func @transposed_factor_is_packed
// CHECK: config = #kernel.product<rows = 14, vectors = 2, depth = 64, columns = 128, unroll = 4, pack = 1>
func.func @transposed_factor_is_packed(%q: tensor<12x128x64xf32>, %k: tensor<12x128x64xf32>) -> tensor<12x128x128xf32> {
  %0 = graph.kernel %q, %k {
  ^bb0(%a: tensor<12x128x64xf32>, %b: tensor<12x128x64xf32>):
    %1 = graph.transpose %b {perm = array<i64: 0, 2, 1>} : (tensor<12x128x64xf32>) -> tensor<12x64x128xf32>
    %2 = graph.matmul %a, %1 : (tensor<12x128x64xf32>, tensor<12x64x128xf32>) -> tensor<12x128x128xf32>
    graph.yield %2 : tensor<12x128x128xf32>
  } : (tensor<12x128x64xf32>, tensor<12x128x64xf32>) -> tensor<12x128x128xf32>
  return %0 : tensor<12x128x128xf32>
}

// -----

// A single row reads the right factor once, in place, with many vectors. The columns are split, so
// that the range has more than one step.
// CHECK-LABEL: func @one_row_splits_columns
// CHECK: config = #kernel.product<rows = 1, vectors = 8, depth = 64, columns = 128, unroll = 8, pack = 0>
func.func @one_row_splits_columns(%x: tensor<1x64xf32>, %y: tensor<64x2048xf32>) -> tensor<1x2048xf32> {
  %0 = graph.kernel %x, %y {
  ^bb0(%a: tensor<1x64xf32>, %b: tensor<64x2048xf32>):
    %1 = graph.matmul %a, %b : (tensor<1x64xf32>, tensor<64x2048xf32>) -> tensor<1x2048xf32>
    graph.yield %1 : tensor<1x2048xf32>
  } : (tensor<1x64xf32>, tensor<64x2048xf32>) -> tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
}

// -----

// conv_direct packs a constant matrix at compile time.
// CHECK-LABEL: func @constant_matrix
// CHECK-NOT: #kernel.product
// CHECK: config = #kernel.conv_direct<
func.func @constant_matrix(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %w = graph.constant dense<1.0> : tensor<64x64xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<32x64xf32>, %b: tensor<64x64xf32>):
    %1 = graph.matmul %a, %b : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    graph.yield %1 : tensor<32x64xf32>
  } : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
