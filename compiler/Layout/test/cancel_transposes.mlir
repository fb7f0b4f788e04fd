// RUN: convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-layout-cancel-transposes,convoy-layout-check-layouts))' | FileCheck %s

#three = #graph.blocked<c = 3>

// One block of all channels stores the channels innermost, as the input does.
// CHECK-LABEL: func @channels_last_is_a_view
// CHECK: %[[VIEW:.*]] = graph.transpose %arg0 {perm = array<i64: 0, 3, 1, 2>}
// CHECK-SAME: -> tensor<1x3x4x4xi8, #graph.blocked<c = 3>>
// CHECK: graph.kernel %[[VIEW]]
// CHECK: %[[BACK:.*]] = graph.transpose %{{.*}} {perm = array<i64: 0, 2, 3, 1>}
// CHECK-SAME: -> tensor<1x4x4x3xi8>
// CHECK: graph.kernel %[[BACK]]
func.func @channels_last_is_a_view(%x: tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8> {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x4x4x3xi8>):
    %1 = graph.transpose %i {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x3xi8>) -> tensor<1x3x4x4xi8, #three>
    graph.yield %1 : tensor<1x3x4x4xi8, #three>
  } : (tensor<1x4x4x3xi8>) -> tensor<1x3x4x4xi8, #three>
  %b = graph.kernel %a {
  ^bb0(%i: tensor<1x3x4x4xi8, #three>):
    %1 = graph.unary relu %i : (tensor<1x3x4x4xi8, #three>) -> tensor<1x3x4x4xi8, #three>
    graph.yield %1 : tensor<1x3x4x4xi8, #three>
  } : (tensor<1x3x4x4xi8, #three>) -> tensor<1x3x4x4xi8, #three>
  %c = graph.kernel %b {
  ^bb0(%i: tensor<1x3x4x4xi8, #three>):
    %1 = graph.transpose %i {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x4xi8, #three>) -> tensor<1x4x4x3xi8>
    graph.yield %1 : tensor<1x4x4x3xi8>
  } : (tensor<1x3x4x4xi8, #three>) -> tensor<1x4x4x3xi8>
  %d = graph.kernel %c {
  ^bb0(%i: tensor<1x4x4x3xi8>):
    %1 = graph.unary relu %i : (tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8>
    graph.yield %1 : tensor<1x4x4x3xi8>
  } : (tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8>
  return %d : tensor<1x4x4x3xi8>
}

// The bytes of planar tensors have another order, and an output has memory of its own.
// CHECK-LABEL: func @other_transposes_copy
// CHECK-COUNT-2: graph.kernel
// CHECK-NOT: graph.kernel
func.func @other_transposes_copy(%x: tensor<1x4x4x3xi8>, %y: tensor<1x3x4x4xi8>)
    -> (tensor<1x3x4x4xi8>, tensor<1x48xi8>) {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x4x4x3xi8>):
    %1 = graph.transpose %i {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x3xi8>) -> tensor<1x3x4x4xi8>
    graph.yield %1 : tensor<1x3x4x4xi8>
  } : (tensor<1x4x4x3xi8>) -> tensor<1x3x4x4xi8>
  %r = graph.reorder %y : (tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8, #three>
  %b = graph.kernel %r {
  ^bb0(%i: tensor<1x3x4x4xi8, #three>):
    %1 = graph.transpose %i {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x4xi8, #three>) -> tensor<1x4x4x3xi8>
    graph.yield %1 : tensor<1x4x4x3xi8>
  } : (tensor<1x3x4x4xi8, #three>) -> tensor<1x4x4x3xi8>
  %shape = graph.constant dense<[1, 48]> : tensor<2xi64>
  %v = graph.reshape %b, %shape : (tensor<1x4x4x3xi8>, tensor<2xi64>) -> tensor<1x48xi8>
  return %a, %v : tensor<1x3x4x4xi8>, tensor<1x48xi8>
}
