// RUN: convoy-opt %s -split-input-file -verify-diagnostics

func.func @misspelled_mark(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has the unknown attribute 'kernel.narow'; expected one of: kernel.machine, kernel.narrow, kernel.upper}}
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

// expected-error@+1 {{expects the attribute 'kernel.machine' to be a machine, found 64 : i64}}
module attributes {kernel.machine = 64 : i64} {}
