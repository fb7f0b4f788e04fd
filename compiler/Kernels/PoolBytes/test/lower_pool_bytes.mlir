// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{byte-ops=true},convoy-kernels-lower-pool-bytes)' | FileCheck %s

// The sums of a row of the result are in scratch memory.
// CHECK-LABEL: @sums_are_rescaled_once
// CHECK-SAME: %[[X:.*]]: memref<160xi8>, %[[Y:.*]]: memref<8xi8>, %[[SUMS:.*]]: memref<32xi8>
// CHECK-SAME: range = 1 : i64
// CHECK-SAME: scratch = 32 : i64
// CHECK: kernel.byte_fill %[[SUMS]][%{{.*}}], %c32{{.*}} {value = 0 : i64}
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c5
// CHECK: task.row_view %[[X]]
// CHECK: kernel.byte_sum
// CHECK-SAME: inputZeroPoint = -128 : i64
// CHECK-SAME: taps = 4 : i64
// CHECK: kernel.byte_scale %[[SUMS]]
// CHECK-SAME: multiplier = 1099511628 : i64, rounding = 1 : i64, shift = -6 : i64
task.kernel @sums_are_rescaled_once(%x: tensor<1x8x5x4xi8, #graph.blocked<c = 8>>)
    -> tensor<1x8x1x1xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.pool_bytes<rows = 1>} {
  %0 = graph.integer_sum_pool %x {ceilMode = false, dilations = array<i64: 1, 1>, inputZeroPoint = -128 : i64, kernel = array<i64: 5, 4>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 5, 4>}
      : (tensor<1x8x5x4xi8, #graph.blocked<c = 8>>) -> tensor<1x8x1x1xi32>
  %m = graph.constant dense<1099511628> : tensor<i32>
  %s = graph.constant dense<37> : tensor<i32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, high = 127 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = i8, zeroPoint = -128 : i64}
      : (tensor<1x8x1x1xi32>, tensor<i32>, tensor<i32>) -> tensor<1x8x1x1xi8, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x1x1xi8, #graph.blocked<c = 8>>
}

// The maximum of rows starts with the lowest byte. Rows of padding are skipped.
// CHECK-LABEL: @rows_of_padding_are_skipped
// CHECK: %[[ROW:.*]] = task.row_view %arg1
// CHECK: kernel.byte_fill %[[ROW]]{{.*}} {value = -128 : i64}
// CHECK: scf.if
// CHECK: kernel.byte_max %{{.*}} to %[[ROW]]
task.kernel @rows_of_padding_are_skipped(%x: tensor<1x4x6x6xi8, #graph.blocked<c = 4>>)
    -> tensor<1x4x3x3xi8, #graph.blocked<c = 4>>
    attributes {config = #kernel.pool_bytes<rows = 1>} {
  %r:2 = graph.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, columnMajor = false}
      : (tensor<1x4x6x6xi8, #graph.blocked<c = 4>>) -> (tensor<1x4x3x3xi8, #graph.blocked<c = 4>>, tensor<1x4x3x3xi64>)
  task.return %r#0 : tensor<1x4x3x3xi8, #graph.blocked<c = 4>>
}

// -----

// expected-error@+1 {{which does not fit the kernel: the kernel has no max pool and no sum pool; this is a bug in convoy's layout stage}}
task.kernel @no_pool(%x: tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
    attributes {config = #kernel.pool_bytes<rows = 1>} {
  %0 = graph.unary relu %x : (tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
  task.return %0 : tensor<1x4x6x6xi8>
}
