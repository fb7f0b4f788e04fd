// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-fold-constants,canonicalize))' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-fold-constants{max-total-bytes=0},canonicalize))' | FileCheck %s --check-prefix=TIGHT

// CHECK-LABEL: @chains_fold_as_they_are_met
// CHECK-NEXT: graph.constant dense<[6.000000e+00, 8.000000e+00]>
// CHECK-NEXT: return
func.func @chains_fold_as_they_are_met() -> tensor<2xf32> {
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.binary add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.binary mul %0, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @shape_of_a_static_tensor_is_known
// CHECK: graph.constant dense<[2, 3]> : tensor<2xi64>
func.func @shape_of_a_static_tensor_is_known(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %0 = graph.shape %x : (tensor<2x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// CHECK-LABEL: @known_branch_is_taken
// CHECK-NOT: graph.if
// CHECK: graph.unary relu
// CHECK-NOT: graph.unary neg
func.func @known_branch_is_taken(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = graph.constant dense<true> : tensor<i1>
  %0 = graph.if %true {
    %1 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    %2 = graph.unary neg %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The pass does not fold a large result of a small operand.
// CHECK-LABEL: @expansion_is_left_alone
// CHECK: graph.expand
func.func @expansion_is_left_alone() -> tensor<4096x4096xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %shape = graph.constant dense<[4096, 4096]> : tensor<2xi64>
  %0 = graph.expand %one, %shape : (tensor<f32>, tensor<2xi64>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// Copies of one operand count as new elements: a result may have 2^24 more elements than its operands.
// CHECK-LABEL: @many_copies_are_left_alone
// CHECK: graph.concat
// CHECK-SAME: -> tensor<25165824xi8>
func.func @many_copies_are_left_alone() -> tensor<25165824xi8> {
  %0 = graph.constant dense<1> : tensor<4194304xi8>
  %1 = graph.concat %0, %0, %0, %0, %0, %0 {axis = 0 : i64} : (tensor<4194304xi8>, tensor<4194304xi8>, tensor<4194304xi8>, tensor<4194304xi8>, tensor<4194304xi8>, tensor<4194304xi8>) -> tensor<25165824xi8>
  return %1 : tensor<25165824xi8>
}

// -----

// A chain of growing results ends at the limit of all results: eight times the constants.
// TIGHT-LABEL: @growing_chain_is_bounded
// TIGHT-DAG: graph.constant dense<1.000000e+00> : tensor<16xf32>
// TIGHT: graph.concat
// TIGHT-SAME: -> tensor<32xf32>
// CHECK-LABEL: @growing_chain_is_bounded
// CHECK-NOT: graph.concat
// CHECK: graph.constant dense_resource<{{.*}}> : tensor<32xf32>
func.func @growing_chain_is_bounded() -> tensor<32xf32> {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  %1 = graph.concat %0, %0 {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %2 = graph.concat %1, %1 {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %3 = graph.concat %2, %2 {axis = 0 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}
