// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// Type rules of matrix products.

// CHECK-LABEL: func.func @batches_broadcast
// CHECK: graph.matmul {{.*}} -> tensor<5x4x2x7xf32>
func.func @batches_broadcast(%a: tensor<5x1x2x3xf32>, %b: tensor<4x3x7xf32>) {
  %r = graph.matmul %a, %b
      : (tensor<5x1x2x3xf32>, tensor<4x3x7xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @vectors_drop_their_dimension
// CHECK: graph.matmul {{.*}} -> tensor<4x7xf32>
func.func @vectors_drop_their_dimension(%a: tensor<3xf32>, %b: tensor<4x3x7xf32>) {
  %r = graph.matmul %a, %b
      : (tensor<3xf32>, tensor<4x3x7xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @open_rows_stay_open
// CHECK: graph.matmul {{.*}} -> tensor<?x7xf32>
func.func @open_rows_stay_open(%a: tensor<?x3xf32>, %b: tensor<3x7xf32>) {
  %r = graph.matmul %a, %b
      : (tensor<?x3xf32>, tensor<3x7xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @labels_give_sizes
// CHECK: graph.einsum {{.*}} -> tensor<3x5xf32>
func.func @labels_give_sizes(%a: tensor<2x3x3xf32>, %b: tensor<1x5xf32>) {
  %r = graph.einsum %a, %b {equation = "abb,ac->bc"}
      : (tensor<2x3x3xf32>, tensor<1x5xf32>) -> tensor<*xf32>
  return
}

// CHECK-LABEL: func.func @scalar_sum
// CHECK: graph.einsum {{.*}} -> tensor<f32>
func.func @scalar_sum(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %r = graph.einsum %a, %b {equation = "a,a->"}
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @inner_dimensions_differ(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'graph.matmul' op expects equal inner dimensions, got 3 ('tensor<2x3xf32>') and 4 ('tensor<4x5xf32>')}}
  %r = graph.matmul %a, %b
      : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @batches_do_not_broadcast(%a: tensor<2x2x3xf32>, %b: tensor<3x3x5xf32>) {
  // expected-error@+1 {{'graph.matmul' op expects batch dimensions that broadcast, got 'tensor<2x2x3xf32>' and 'tensor<3x3x5xf32>'}}
  %r = graph.matmul %a, %b
      : (tensor<2x2x3xf32>, tensor<3x3x5xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @scalar_operand(%a: tensor<f32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'graph.matmul' op expects operands of rank 1 or more, got 'tensor<f32>' and 'tensor<3xf32>'}}
  %r = graph.matmul %a, %b
      : (tensor<f32>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @label_of_two_sizes(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{'graph.einsum' op expects the same size for every dimension with label 'b', got 3 and 2}}
  %r = graph.einsum %a, %b {equation = "ab,b->a"}
      : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @implicit_output(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'graph.einsum' op expects an explicit equation with labels a to z for 1 operands, got 'ab'}}
  %r = graph.einsum %a {equation = "ab"}
      : (tensor<2x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @repeated_output(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{'graph.einsum' op expects each output label to occur in an operand and exactly once in the output, got 'ab->aa'}}
  %r = graph.einsum %a {equation = "ab->aa"}
      : (tensor<3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @rank_and_labels_differ(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{'graph.einsum' op expects operand 'abc' of rank 3, got 'tensor<3x3xf32>'}}
  %r = graph.einsum %a {equation = "abc->a"}
      : (tensor<3x3xf32>) -> tensor<*xf32>
  return
}
