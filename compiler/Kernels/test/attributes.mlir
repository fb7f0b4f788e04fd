// RUN: convoy-opt %s -split-input-file -verify-diagnostics

func.func @misspelled_mark(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has the unknown attribute 'kernel.narow'; expected one of: kernel.machine, kernel.extent, kernel.narrow, kernel.upper, kernel.why_not_attention}}
  %0 = graph.unary abs %x {kernel.narow} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @mark_with_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects the attribute 'kernel.narrow' to be a unit attribute, found true}}
  %0 = graph.unary abs %x {kernel.narrow = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @reason_without_words(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{expects the attribute 'kernel.why_not_attention' to be a string, found unit}}
  %0 = graph.matmul %x, %x {kernel.why_not_attention} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error@+1 {{expects the attribute 'kernel.machine' to be a machine, found 64 : i64}}
module attributes {kernel.machine = 64 : i64} {}
