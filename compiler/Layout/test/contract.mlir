// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-layout-check-layouts))'

// The contract of the stage consists of one check.
func.func @an_encoding_that_is_no_layout(%x: tensor<4xf32, 1 : i32>) -> tensor<4xf32, 1 : i32> {
  // expected-error@+1 {{has an operand whose encoding is not a layout}}
  return %x : tensor<4xf32, 1 : i32>
}
