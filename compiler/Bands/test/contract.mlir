// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-bands-check-contract)'

// Two bands of a kernel with four chunks of one row each.
func.func @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %0 = task.run @k(%x) {bands = #task.bands<group = 0, ends = [2, 4], savedNs = 0.0 : f64>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
task.kernel @k(%a: memref<16xf32>, %b: memref<16xf32>, %i: index, %end: index) attributes {range = 4 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4], reads = [array<i64: 1, 1, 0>]>} {
  task.return
}

// -----

func.func @kernel_without_rows(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error@+1 {{has bands, but its kernel has no rows}}
  %0 = task.run @k(%x) {bands = #task.bands<group = 0, ends = [2, 4], savedNs = 0.0 : f64>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
task.kernel @k(%a: memref<16xf32>, %b: memref<16xf32>, %i: index, %end: index) attributes {range = 4 : i64} {
  task.return
}

// -----

func.func @last_row_is_left_out(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error@+1 {{expects bands that end at rows, in ascending order, and cover 4 chunks, found ends array<i64: 2, 3>}}
  %0 = task.run @k(%x) {bands = #task.bands<group = 0, ends = [2, 3], savedNs = 0.0 : f64>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
task.kernel @k(%a: memref<16xf32>, %b: memref<16xf32>, %i: index, %end: index) attributes {range = 4 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4], reads = [array<i64: 1, 1, 0>]>} {
  task.return
}

// -----

func.func @group_with_two_numbers_of_bands(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %0 = task.run @k(%x) {bands = #task.bands<group = 0, ends = [2, 4], savedNs = 0.0 : f64>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  // expected-error@+1 {{expects 2 bands, as the other runs of group 0, found 1}}
  %1 = task.run @k(%0) {bands = #task.bands<group = 0, ends = [4], savedNs = 0.0 : f64>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %1 : tensor<1x1x4x4xf32>
}
task.kernel @k(%a: memref<16xf32>, %b: memref<16xf32>, %i: index, %end: index) attributes {range = 4 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4], reads = [array<i64: 1, 1, 0>]>} {
  task.return
}
