// RUN: convoy-opt --convoy-graph-lower-batched-products --cse --canonicalize %s | FileCheck %s

// CHECK-LABEL: @leading_dimensions_are_rows
// CHECK: %[[X:.*]] = graph.reshape %arg0, {{.*}} -> tensor<30x4xf32>
// CHECK: %[[Y:.*]] = graph.matmul %[[X]], %{{.*}} -> tensor<30x2xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[Y]], {{.*}} -> tensor<2x3x5x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @leading_dimensions_are_rows(%x: tensor<2x3x5x4xf32>) -> tensor<2x3x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x3x5x4xf32>, tensor<4x2xf32>) -> tensor<2x3x5x2xf32>
  return %0 : tensor<2x3x5x2xf32>
}

// A bias of any rank becomes a vector, on either side of the addition.
// CHECK-LABEL: @biases_are_vectors
// CHECK-DAG: %[[A:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK-NEXT: %[[S:.*]] = graph.binary add %[[Y]], %[[A]]
// CHECK-NEXT: %[[T:.*]] = graph.binary add %[[B]], %[[S]]
// CHECK-NEXT: graph.reshape %[[T]], {{.*}} -> tensor<2x5x2xf32>
// CHECK-NEXT: return
func.func @biases_are_vectors(%x: tensor<2x5x2xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = graph.constant dense<[[[3.0, 4.0]]]> : tensor<1x1x2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.binary add %0, %a : (tensor<2x5x2xf32>, tensor<2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.binary add %b, %1 : (tensor<1x1x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  return %2 : tensor<2x5x2xf32>
}

// Operands of the same shape, with one value per row, and scalars of any rank.
// CHECK-LABEL: @operands_are_matrices_too
// CHECK: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK: %[[Z:.*]] = graph.reshape %arg1, {{.*}} -> tensor<10x2xf32>
// CHECK: %[[S:.*]] = graph.binary add %[[Y]], %[[Z]] {{.*}} -> tensor<10x2xf32>
// CHECK: %[[R:.*]] = graph.reshape %arg2, {{.*}} -> tensor<10x1xf32>
// CHECK: %[[T:.*]] = graph.binary mul %[[S]], %[[R]] {{.*}} -> tensor<10x2xf32>
// CHECK: graph.binary max %[[T]], %{{.*}} : (tensor<10x2xf32>, tensor<f32>)
func.func @operands_are_matrices_too(%x: tensor<2x5x2xf32>, %z: tensor<2x5x2xf32>, %r: tensor<2x5x1xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %c = graph.constant dense<3.0> : tensor<1x1x1xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.binary add %0, %z : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.binary mul %1, %r : (tensor<2x5x2xf32>, tensor<2x5x1xf32>) -> tensor<2x5x2xf32>
  %3 = graph.binary max %2, %c : (tensor<2x5x2xf32>, tensor<1x1x1xf32>) -> tensor<2x5x2xf32>
  return %3 : tensor<2x5x2xf32>
}

// CHECK-LABEL: @functions_casts_and_selections_follow
// CHECK: graph.unary gelu {{.*}} -> tensor<10x2xf32>
// CHECK: graph.activation elu {{.*}} -> tensor<10x2xf32>
// CHECK: %[[C:.*]] = graph.reshape %arg1, {{.*}} -> tensor<10x2xi1>
// CHECK: graph.select %[[C]], {{.*}} -> tensor<10x2xf32>
// CHECK: %[[H:.*]] = graph.cast {{.*}} -> tensor<10x2xf16>
// CHECK: graph.reshape %[[H]], {{.*}} -> tensor<2x5x2xf16>
func.func @functions_casts_and_selections_follow(%x: tensor<2x5x2xf32>, %c: tensor<2x5x2xi1>) -> tensor<2x5x2xf16> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %z = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.unary gelu %0 : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.activation elu %1 {alpha = 1.0 : f64} : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %3 = "graph.select"(%c, %2, %z) : (tensor<2x5x2xi1>, tensor<2x5x2xf32>, tensor<f32>) -> tensor<2x5x2xf32>
  %4 = "graph.cast"(%3) {to = f16} : (tensor<2x5x2xf32>) -> tensor<2x5x2xf16>
  return %4 : tensor<2x5x2xf16>
}

// One scale, and one scale per column: the last dimension is now dimension 1.
// CHECK-LABEL: @quantization_follows
// CHECK: graph.quantize_linear {{.*}}axis = 1 : i64{{.*}} -> tensor<10x2xi8>
// CHECK: %[[D:.*]] = graph.dequantize_linear {{.*}}axis = 1 : i64{{.*}} -> tensor<10x2xf32>
// CHECK-NEXT: graph.reshape %[[D]]
func.func @quantization_follows(%x: tensor<2x5x2xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = "graph.quantize_linear"(%0, %s) {to = i8, axis = 0 : i64} : (tensor<2x5x2xf32>, tensor<f32>) -> tensor<2x5x2xi8>
  %2 = "graph.dequantize_linear"(%1, %t) {to = f32, axis = 2 : i64} : (tensor<2x5x2xi8>, tensor<2xf32>) -> tensor<2x5x2xf32>
  return %2 : tensor<2x5x2xf32>
}

// Fusion puts the ops that compute an operand into the kernel of its only reader. They are
// reshaped too, so that Fusion still can.
// CHECK-LABEL: @what_an_operand_is_computed_from_follows
// CHECK: %[[A:.*]] = graph.reshape %arg1, {{.*}} -> tensor<10x2xf32>
// CHECK: %[[B:.*]] = graph.reshape %arg2, {{.*}} -> tensor<10x1xf32>
// CHECK: %[[P:.*]] = graph.binary mul %[[A]], %[[B]] {{.*}} -> tensor<10x2xf32>
// CHECK: %[[E:.*]] = graph.unary exp %[[P]] {{.*}} -> tensor<10x2xf32>
// CHECK: graph.binary add %{{.*}}, %[[E]] {{.*}} -> tensor<10x2xf32>
func.func @what_an_operand_is_computed_from_follows(%x: tensor<2x5x2xf32>, %a: tensor<2x5x2xf32>, %b: tensor<2x5x1xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.binary mul %a, %b : (tensor<2x5x2xf32>, tensor<2x5x1xf32>) -> tensor<2x5x2xf32>
  %1 = graph.unary exp %0 : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %3 = graph.binary add %2, %1 : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  return %3 : tensor<2x5x2xf32>
}

// A value with two readers, and an operand that broadcasts, have separate kernels.
// CHECK-LABEL: @what_has_a_kernel_of_its_own_stays
// CHECK: graph.unary exp {{.*}} -> tensor<2x5x2xf32>
// CHECK: graph.unary sqrt {{.*}} -> tensor<2x5x1xf32>
// CHECK: %[[P:.*]] = graph.binary mul {{.*}} -> tensor<10x2xf32>
// CHECK: %[[Q:.*]] = graph.binary div %[[P]], {{.*}} : (tensor<10x2xf32>, tensor<10x1xf32>)
// CHECK: graph.binary add %{{.*}}, %[[Q]] {{.*}} -> tensor<10x2xf32>
func.func @what_has_a_kernel_of_its_own_stays(%x: tensor<2x5x2xf32>, %a: tensor<2x5x2xf32>, %b: tensor<2x5x1xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.unary exp %a : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.unary sqrt %b : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>
  %2 = graph.binary mul %0, %0 : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %3 = graph.binary div %2, %1 : (tensor<2x5x2xf32>, tensor<2x5x1xf32>) -> tensor<2x5x2xf32>
  %4 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %5 = graph.binary add %4, %3 : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  return %5 : tensor<2x5x2xf32>
}

// CHECK-LABEL: @reshapes_that_meet_cancel
// CHECK: %[[X:.*]] = graph.reshape %arg0, {{.*}} -> tensor<10x2xf32>
// CHECK-NEXT: %[[A:.*]] = graph.matmul %[[X]]
// CHECK-NEXT: %[[B:.*]] = graph.matmul %[[A]]
// CHECK-NEXT: %[[C:.*]] = graph.matmul %[[X]]
// CHECK-NEXT: %[[S:.*]] = graph.binary add %[[B]], %[[C]]
// CHECK-NEXT: %[[R:.*]] = graph.reshape %[[S]], {{.*}} -> tensor<2x5x1x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @reshapes_that_meet_cancel(%x: tensor<10x1x2xf32>) -> tensor<2x5x1x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = graph.constant dense<[[4.0, 3.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %heads = graph.constant dense<[2, 5, 1, 2]> : tensor<4xi64>
  %shape = graph.constant dense<[2, 5, 2]> : tensor<3xi64>
  %x1 = "graph.reshape"(%x, %shape) : (tensor<10x1x2xf32>, tensor<3xi64>) -> tensor<2x5x2xf32>
  %0 = graph.matmul %x1, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.matmul %0, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.matmul %x1, %v : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %3 = graph.binary add %1, %2 : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %4 = "graph.reshape"(%3, %heads) : (tensor<2x5x2xf32>, tensor<4xi64>) -> tensor<2x5x1x2xf32>
  return %4 : tensor<2x5x1x2xf32>
}

// CHECK-LABEL: @readers_that_meet_follow
// CHECK: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK-NOT: graph.reshape
// CHECK: %[[E:.*]] = graph.unary erf %[[Y]] {{.*}} -> tensor<10x2xf32>
// CHECK: %[[G:.*]] = graph.binary mul %[[Y]], %[[E]] {{.*}} -> tensor<10x2xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[G]], {{.*}} -> tensor<2x5x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @readers_that_meet_follow(%x: tensor<2x5x2xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.unary erf %0 : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.binary mul %0, %1 : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  return %2 : tensor<2x5x2xf32>
}

// The product and the function have readers that do not meet, so Fusion ends the kernel before
// them.
// CHECK-LABEL: @several_readers_see_the_view
// CHECK: %[[Y:.*]] = graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[Y]], {{.*}} -> tensor<2x5x2xf32>
// CHECK: %[[E:.*]] = graph.unary erf %[[R]] {{.*}} -> tensor<2x5x2xf32>
// CHECK: return %[[R]], %[[E]]
func.func @several_readers_see_the_view(%x: tensor<2x5x2xf32>) -> (tensor<2x5x2xf32>, tensor<2x5x2xf32>) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.unary erf %0 : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
  return %0, %1 : tensor<2x5x2xf32>, tensor<2x5x2xf32>
}

// CHECK-LABEL: @other_ops_see_the_view
// CHECK: graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK: graph.reshape {{.*}} -> tensor<2x5x2xf32>
// CHECK: graph.reduce mean {{.*}} -> tensor<2x5x1xf32>
func.func @other_ops_see_the_view(%x: tensor<2x5x2xf32>) -> tensor<2x5x1xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %axes = graph.constant dense<[2]> : tensor<1xi64>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.reduce mean %0 over %axes {keepDims = true} : (tensor<2x5x2xf32>, tensor<1xi64>) -> tensor<2x5x1xf32>
  return %1 : tensor<2x5x1xf32>
}

// An operand that broadcasts along only the batch cannot be reshaped to a matrix.
// CHECK-LABEL: @partly_repeated_operands_stop_the_view
// CHECK: graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK: graph.binary add {{.*}} : (tensor<2x5x2xf32>, tensor<1x5x2xf32>) -> tensor<2x5x2xf32>
func.func @partly_repeated_operands_stop_the_view(%x: tensor<2x5x2xf32>, %p: tensor<1x5x2xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.binary add %0, %p : (tensor<2x5x2xf32>, tensor<1x5x2xf32>) -> tensor<2x5x2xf32>
  return %1 : tensor<2x5x2xf32>
}

// CHECK-LABEL: @growing_results_stop_the_view
// CHECK: graph.matmul {{.*}} -> tensor<5x2xf32>
// CHECK: graph.binary add {{.*}} : (tensor<1x5x2xf32>, tensor<3x5x2xf32>) -> tensor<3x5x2xf32>
func.func @growing_results_stop_the_view(%x: tensor<1x5x2xf32>, %p: tensor<3x5x2xf32>) -> tensor<3x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<1x5x2xf32>, tensor<2x2xf32>) -> tensor<1x5x2xf32>
  %1 = graph.binary add %0, %p : (tensor<1x5x2xf32>, tensor<3x5x2xf32>) -> tensor<3x5x2xf32>
  return %1 : tensor<3x5x2xf32>
}

// CHECK-LABEL: @scales_along_rows_stop_the_view
// CHECK: graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK: graph.quantize_linear {{.*}} -> tensor<2x5x2xi8>
func.func @scales_along_rows_stop_the_view(%x: tensor<2x5x2xf32>) -> tensor<2x5x2xi8> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  %1 = "graph.quantize_linear"(%0, %s) {to = i8, axis = 0 : i64} : (tensor<2x5x2xf32>, tensor<2xf32>) -> tensor<2x5x2xi8>
  return %1 : tensor<2x5x2xi8>
}

// Quantize looks for the cast and the zero point directly in front of the product.
// CHECK-LABEL: @integers_are_centerd_in_front_of_the_product
// CHECK: %[[X:.*]] = graph.reshape %arg0, {{.*}} -> tensor<10x2xui8>
// CHECK: %[[C:.*]] = graph.cast %[[X]] {{.*}} -> tensor<10x2xi32>
// CHECK: %[[S:.*]] = graph.binary sub %[[C]], %{{.*}} -> tensor<10x2xi32>
// CHECK: graph.matmul %[[S]]
// CHECK: graph.matmul %[[S]]
func.func @integers_are_centerd_in_front_of_the_product(%x: tensor<2x5x2xui8>) -> (tensor<2x5x2xi32>, tensor<2x5x2xi32>) {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %v = graph.constant dense<[[4, 3], [2, 1]]> : tensor<2x2xi32>
  %z = graph.constant dense<128> : tensor<i32>
  %0 = "graph.cast"(%x) {to = i32} : (tensor<2x5x2xui8>) -> tensor<2x5x2xi32>
  %1 = graph.binary sub %0, %z : (tensor<2x5x2xi32>, tensor<i32>) -> tensor<2x5x2xi32>
  %2 = graph.matmul %1, %w : (tensor<2x5x2xi32>, tensor<2x2xi32>) -> tensor<2x5x2xi32>
  %3 = graph.matmul %1, %v : (tensor<2x5x2xi32>, tensor<2x2xi32>) -> tensor<2x5x2xi32>
  return %2, %3 : tensor<2x5x2xi32>, tensor<2x5x2xi32>
}

// Zero points per row are collapsed like the rows.
// CHECK-LABEL: @bytes_keep_their_zero_points
// CHECK-DAG: %[[X:.*]] = graph.reshape %arg0, {{.*}} -> tensor<10x2xui8>
// CHECK-DAG: %[[Z:.*]] = graph.reshape %arg1, {{.*}} -> tensor<10x1xui8>
// CHECK: graph.byte_matmul %[[X]], %{{.*}}, %[[Z]], %arg2 : {{.*}} -> tensor<10x2xi32>
func.func @bytes_keep_their_zero_points(%x: tensor<2x5x2xui8>, %zx: tensor<2x5x1xui8>, %zw: tensor<i8>) -> tensor<2x5x2xi32> {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<2x5x2xui8>, tensor<2x2xi8>, tensor<2x5x1xui8>, tensor<i8>) -> tensor<2x5x2xi32>
  return %0 : tensor<2x5x2xi32>
}

// The zero point broadcasts along the batch, so it has no form of a matrix.
// CHECK-LABEL: @broadcast_zero_points_stay
// CHECK: graph.byte_matmul {{.*}} -> tensor<2x5x2xi32>
func.func @broadcast_zero_points_stay(%x: tensor<2x5x2xui8>, %zx: tensor<1x5x1xui8>, %zw: tensor<i8>) -> tensor<2x5x2xi32> {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<2x5x2xui8>, tensor<2x2xi8>, tensor<1x5x1xui8>, tensor<i8>) -> tensor<2x5x2xi32>
  return %0 : tensor<2x5x2xi32>
}

// A dequantize_linear of a constant counts as a constant.
// CHECK-LABEL: @quantized_weights_count
// CHECK: graph.matmul {{.*}} -> tensor<10x2xf32>
func.func @quantized_weights_count(%x: tensor<2x5x2xf32>) -> tensor<2x5x2xf32> {
  %c = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %w = "graph.dequantize_linear"(%c, %s) {to = f32, axis = 0 : i64} : (tensor<2x2xi8>, tensor<f32>) -> tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  return %0 : tensor<2x5x2xf32>
}

// CHECK-LABEL: @bodies_of_branches_too
// CHECK: graph.matmul {{.*}} -> tensor<10x2xf32>
// CHECK: graph.unary relu {{.*}} -> tensor<2x5x2xf32>
func.func @bodies_of_branches_too(%c: tensor<i1>, %x: tensor<2x5x2xf32>) -> tensor<2x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = "graph.if"(%c) ({
    %1 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
    graph.yield %1 : tensor<2x5x2xf32>
  }, {
    %1 = graph.unary relu %x : (tensor<2x5x2xf32>) -> tensor<2x5x2xf32>
    graph.yield %1 : tensor<2x5x2xf32>
  }) : (tensor<i1>) -> tensor<2x5x2xf32>
  return %0 : tensor<2x5x2xf32>
}

// CHECK-LABEL: @computed_right_sides_stay
// CHECK: graph.matmul %arg0, %arg1 : (tensor<2x5x2xf32>, tensor<2x2xf32>)
func.func @computed_right_sides_stay(%x: tensor<2x5x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x5x2xf32> {
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2xf32>) -> tensor<2x5x2xf32>
  return %0 : tensor<2x5x2xf32>
}

// CHECK-LABEL: @stacks_of_constants_stay
// CHECK: graph.matmul %arg0, %{{.*}} : (tensor<2x5x2xf32>, tensor<2x2x1xf32>)
func.func @stacks_of_constants_stay(%x: tensor<2x5x2xf32>) -> tensor<2x5x1xf32> {
  %w = graph.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %0 = graph.matmul %x, %w : (tensor<2x5x2xf32>, tensor<2x2x1xf32>) -> tensor<2x5x1xf32>
  return %0 : tensor<2x5x1xf32>
}

// CHECK-LABEL: @open_dimensions_stay
// CHECK: graph.matmul %arg0, %{{.*}} : (tensor<?x5x2xf32>, tensor<2x2xf32>)
func.func @open_dimensions_stay(%x: tensor<?x5x2xf32>) -> tensor<?x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<?x5x2xf32>, tensor<2x2xf32>) -> tensor<?x5x2xf32>
  return %0 : tensor<?x5x2xf32>
}

// CHECK-LABEL: @empty_products_stay
// CHECK: graph.matmul %arg0, %{{.*}} : (tensor<0x5x2xf32>, tensor<2x2xf32>)
func.func @empty_products_stay(%x: tensor<0x5x2xf32>) -> tensor<0x5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<0x5x2xf32>, tensor<2x2xf32>) -> tensor<0x5x2xf32>
  return %0 : tensor<0x5x2xf32>
}

// CHECK-LABEL: @matrices_stay
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.matmul %arg0, %{{.*}} : (tensor<5x2xf32>, tensor<2x2xf32>)
// CHECK-NEXT: return
func.func @matrices_stay(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %w : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// The operand of the integer product has one element and stays a matrix.
// CHECK-LABEL: @integer_product_of_one_element
// CHECK: %[[X:.*]] = graph.reshape {{.*}} -> tensor<1x1xi32>
// CHECK: %[[C:.*]] = graph.binary sub %[[X]], %{{.*}} -> tensor<1x1xi32>
// CHECK: graph.matmul %[[C]], %{{.*}} -> tensor<1x4xi32>
func.func @integer_product_of_one_element(%x: tensor<1x1x1xi32>, %z: tensor<i32>) -> tensor<1x1x4xi32> {
  %w = graph.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>
  %0 = graph.binary sub %x, %z : (tensor<1x1x1xi32>, tensor<i32>) -> tensor<1x1x1xi32>
  %1 = graph.matmul %0, %w : (tensor<1x1x1xi32>, tensor<1x4xi32>) -> tensor<1x1x4xi32>
  return %1 : tensor<1x1x4xi32>
}
