// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{byte-ops=true},convoy-kernels-lower-add-bytes)' | FileCheck %s

// The zero points are one number: 128 * 405404 - 4 * 1072283.
// CHECK-LABEL: @rows_are_steps
// CHECK-SAME: in_place = array<i64: 0, 1, 2>
// CHECK-SAME: range = 6 : i64
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: %[[A:.*]] = task.row_view %arg0[%[[ROW]]] rows 6
// CHECK: %[[B:.*]] = task.row_view %arg1[%[[ROW]]] rows 6
// CHECK: %[[Y:.*]] = task.row_view %arg2[%[[ROW]]] rows 6
// CHECK: kernel.byte_add %[[A]][%{{.*}}], %[[B]][%{{.*}}] to %[[Y]][%{{.*}}], %c64
// CHECK-SAME: rounding = 2 : i64, shift = 19 : i64, start = 47602580 : i64
task.kernel @rows_are_steps(%a: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>,
    %b: tensor<1x8x6x8xi8, #graph.blocked<c = 8>>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
    attributes {config = #kernel.add_bytes<rows = 1>} {
  %0 = graph.integer_add %a, %b {high = 127 : i64, lhsMultiplier = 405404 : i64, lhsZeroPoint = -128 : i64, low = -128 : i64, rhsMultiplier = 1072283 : i64, rhsZeroPoint = 4 : i64, rounding = 2 : i32, shift = 19 : i64, to = i8, zeroPoint = -128 : i64}
      : (tensor<1x8x6x8xi8, #graph.blocked<c = 8>>, tensor<1x8x6x8xi8, #graph.blocked<c = 8>>) -> tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x8x6x8xi8, #graph.blocked<c = 8>>
}

// -----

// expected-error@+1 {{which does not fit the kernel: the sums of the addition can exceed 31 bits; this is a bug in convoy's layout stage}}
task.kernel @large_multiplier(%a: tensor<1x8x6x8xi8>, %b: tensor<1x8x6x8xi8>)
    -> tensor<1x8x6x8xi8> attributes {config = #kernel.add_bytes<rows = 1>} {
  %0 = graph.integer_add %a, %b {high = 127 : i64, lhsMultiplier = 4194304 : i64, lhsZeroPoint = -128 : i64, low = -128 : i64, rhsMultiplier = 1072283 : i64, rhsZeroPoint = 4 : i64, rounding = 1 : i32, shift = 19 : i64, to = i8, zeroPoint = -128 : i64}
      : (tensor<1x8x6x8xi8>, tensor<1x8x6x8xi8>) -> tensor<1x8x6x8xi8>
  task.return %0 : tensor<1x8x6x8xi8>
}
