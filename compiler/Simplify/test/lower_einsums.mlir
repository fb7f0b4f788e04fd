// RUN: convoy-opt --convoy-graph-lower-einsums --split-input-file %s | FileCheck %s

// CHECK-LABEL: @a_constant_becomes_a_matrix
// CHECK: %[[W:.*]] = graph.constant
// CHECK: %[[M:.*]] = graph.reshape %[[W]], {{.*}} -> tensor<8x8xf32>
// CHECK: %[[P:.*]] = graph.matmul %arg0, %[[M]] : {{.*}} -> tensor<2x5x8xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[P]], {{.*}} -> tensor<2x5x2x4xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[R]] {perm = array<i64: 0, 2, 1, 3>}
// CHECK: return %[[T]]
func.func @a_constant_becomes_a_matrix(%x: tensor<2x5x8xf32>) -> tensor<2x2x5x4xf32> {
  %w = graph.constant dense<0.5> : tensor<8x2x4xf32>
  %y = graph.einsum %x, %w {equation = "bnd,dhk->bhnk"} : (tensor<2x5x8xf32>, tensor<8x2x4xf32>) -> tensor<2x2x5x4xf32>
  return %y : tensor<2x2x5x4xf32>
}

// -----

// CHECK-LABEL: @a_constant_on_the_left_becomes_the_right_matrix
// CHECK: %[[W:.*]] = graph.constant
// CHECK: %[[M:.*]] = graph.transpose %[[W]] {perm = array<i64: 1, 0>}
// CHECK: graph.matmul %arg0, %[[M]] : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
func.func @a_constant_on_the_left_becomes_the_right_matrix(%x: tensor<5x8xf32>) -> tensor<5x3xf32> {
  %w = graph.constant dense<0.5> : tensor<3x8xf32>
  %y = graph.einsum %w, %x {equation = "od,nd->no"} : (tensor<3x8xf32>, tensor<5x8xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// Queries and keys of attention.
// CHECK-LABEL: @common_labels_of_the_result_are_a_batch
// CHECK: %[[K:.*]] = graph.transpose %arg1 {perm = array<i64: 0, 1, 3, 2>}
// CHECK: %[[P:.*]] = graph.matmul %arg0, %[[K]] : {{.*}} -> tensor<2x3x5x6xf32>
// CHECK: return %[[P]]
func.func @common_labels_of_the_result_are_a_batch(%q: tensor<2x3x5x8xf32>, %k: tensor<2x3x6x8xf32>) -> tensor<2x3x5x6xf32> {
  %y = graph.einsum %q, %k {equation = "bhik,bhjk->bhij"} : (tensor<2x3x5x8xf32>, tensor<2x3x6x8xf32>) -> tensor<2x3x5x6xf32>
  return %y : tensor<2x3x5x6xf32>
}

// -----

// Several labels of the sum are one dimension of the product.
// CHECK-LABEL: @several_labels_are_summed_together
// CHECK: %[[T:.*]] = graph.transpose %arg0 {perm = array<i64: 0, 2, 1, 3>}
// CHECK: %[[X:.*]] = graph.reshape %[[T]], {{.*}} -> tensor<2x5x12xf32>
// CHECK: %[[W:.*]] = graph.reshape {{.*}} -> tensor<12x7xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[W]] : {{.*}} -> tensor<2x5x7xf32>
// CHECK: return %[[P]]
func.func @several_labels_are_summed_together(%x: tensor<2x3x5x4xf32>) -> tensor<2x5x7xf32> {
  %w = graph.constant dense<0.5> : tensor<3x4x7xf32>
  %y = graph.einsum %x, %w {equation = "bhik,hkd->bid"} : (tensor<2x3x5x4xf32>, tensor<3x4x7xf32>) -> tensor<2x5x7xf32>
  return %y : tensor<2x5x7xf32>
}

// -----

// A sum over the label j before the product gives infinity instead of NaN if an element of %a is
// infinite and elements of %b have both signs.
// CHECK-LABEL: @sums_over_a_label_of_one_factor_stay
// CHECK: graph.einsum
func.func @sums_over_a_label_of_one_factor_stay(%a: tensor<3x6x4xf32>, %b: tensor<4x5x2xf32>) -> tensor<3x5xf32> {
  %y = graph.einsum %a, %b {equation = "ijk,klm->il"} : (tensor<3x6x4xf32>, tensor<4x5x2xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: @a_label_of_size_1_is_dropped
// CHECK-NOT: graph.einsum
// CHECK: graph.matmul {{.*}} -> tensor<3x5xf32>
func.func @a_label_of_size_1_is_dropped(%a: tensor<3x1x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %y = graph.einsum %a, %b {equation = "ijk,kl->il"} : (tensor<3x1x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: @the_operand_of_the_first_rows_is_the_left_one
// CHECK: %[[A:.*]] = graph.transpose %arg1 {perm = array<i64: 1, 0>} : {{.*}} -> tensor<5x4xf32>
// CHECK: %[[B:.*]] = graph.transpose %arg0 {perm = array<i64: 1, 0>} : {{.*}} -> tensor<4x3xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[A]], %[[B]] : {{.*}} -> tensor<5x3xf32>
// CHECK: return %[[P]]
func.func @the_operand_of_the_first_rows_is_the_left_one(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<5x3xf32> {
  %y = graph.einsum %a, %b {equation = "ij,jk->ki"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// CHECK-LABEL: @an_outer_product_is_a_multiplication
// CHECK-DAG: %[[A:.*]] = graph.reshape %arg0, {{.*}} -> tensor<1x3xf32>
// CHECK-DAG: %[[B:.*]] = graph.reshape %arg1, {{.*}} -> tensor<4x1xf32>
// CHECK: graph.binary mul {{.*}} -> tensor<4x3xf32>
// CHECK-NOT: graph.matmul
func.func @an_outer_product_is_a_multiplication(%a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<4x3xf32> {
  %y = graph.einsum %a, %b {equation = "i,j->ji"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: @inner_products_are_sums
// CHECK: %[[T:.*]] = graph.transpose %arg1 {perm = array<i64: 1, 0>}
// CHECK: %[[M:.*]] = graph.binary mul %arg0, %[[T]] : {{.*}} -> tensor<3x4xf32>
// CHECK: %[[S:.*]] = graph.reduce sum %[[M]] {{.*}} -> tensor<3x1xf32>
// CHECK: graph.reshape %[[S]], {{.*}} -> tensor<3xf32>
func.func @inner_products_are_sums(%a: tensor<3x4xf32>, %b: tensor<4x3xf32>) -> tensor<3xf32> {
  %y = graph.einsum %a, %b {equation = "bi,ib->b"} : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// CHECK-LABEL: @operands_are_multiplied_from_left_to_right
// CHECK: %[[P:.*]] = graph.matmul %arg0, %arg1 : {{.*}} -> tensor<3x5xf32>
// CHECK: graph.matmul %[[P]], %arg2 : {{.*}} -> tensor<3x6xf32>
func.func @operands_are_multiplied_from_left_to_right(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<5x6xf32>) -> tensor<3x6xf32> {
  %y = graph.einsum %a, %b, %c {equation = "ij,jk,kl->il"} : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

// The dimension j of the left operand has size 1, so j belongs to the right operand alone.
// CHECK-LABEL: @dimensions_of_size_1_broadcast
// CHECK-DAG: %[[A:.*]] = graph.reshape %arg0, {{.*}} -> tensor<3xf32>
// CHECK-DAG: %[[S:.*]] = graph.reduce sum %arg1 {{.*}} -> tensor<1x5xf32>
// CHECK-NOT: graph.matmul
// CHECK: graph.binary mul {{.*}} -> tensor<3x5xf32>
func.func @dimensions_of_size_1_broadcast(%a: tensor<3x1xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %y = graph.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<3x1xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: @one_operand_is_summed_and_transposed
// CHECK: %[[S:.*]] = graph.reduce sum %arg0 {{.*}} -> tensor<3x1x5xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[S]], {{.*}} -> tensor<3x5xf32>
// CHECK: graph.transpose %[[R]] {perm = array<i64: 1, 0>} : {{.*}} -> tensor<5x3xf32>
func.func @one_operand_is_summed_and_transposed(%a: tensor<3x4x5xf32>) -> tensor<5x3xf32> {
  %y = graph.einsum %a {equation = "ijk->ki"} : (tensor<3x4x5xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

// CHECK-LABEL: @diagonals_stay
// CHECK: graph.einsum
func.func @diagonals_stay(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %y = graph.einsum %a {equation = "ii->i"} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: @integers_stay
// CHECK: graph.einsum
func.func @integers_stay(%a: tensor<3x4xi32>, %b: tensor<4x5xi32>) -> tensor<3x5xi32> {
  %y = graph.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<3x4xi32>, tensor<4x5xi32>) -> tensor<3x5xi32>
  return %y : tensor<3x5xi32>
}

// -----

// CHECK-LABEL: @sums_of_half_precision_are_rounded_once
// CHECK: graph.einsum
func.func @sums_of_half_precision_are_rounded_once(%a: tensor<3x4xf16>, %b: tensor<4x5xf16>, %c: tensor<5x6xf16>) -> tensor<3x6xf16> {
  %y = graph.einsum %a, %b, %c {equation = "ij,jk,kl->il"} : (tensor<3x4xf16>, tensor<4x5xf16>, tensor<5x6xf16>) -> tensor<3x6xf16>
  return %y : tensor<3x6xf16>
}

// -----

// CHECK-LABEL: @open_dimensions_stay
// CHECK: graph.einsum
func.func @open_dimensions_stay(%a: tensor<?x4xf32>, %b: tensor<4x5xf32>) -> tensor<?x5xf32> {
  %y = graph.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

// The product of the first two operands has 8 * 8 * 8 * 8 elements, each operand and the result 64.
// CHECK-LABEL: @large_partial_products_stay
// CHECK: graph.einsum
func.func @large_partial_products_stay(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = graph.einsum %a, %b, %c {equation = "ab,cd,ac->bd"} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
