// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-fusion-fuse-kernels))' | FileCheck %s

// CHECK-LABEL: @epilogue_joins_its_convolution
// CHECK: graph.kernel %arg0, %arg1
// CHECK: graph.conv
// CHECK: graph.unary relu
// CHECK: graph.yield
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @epilogue_joins_its_convolution(%x: tensor<1x8x9x9xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x7x7xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x7xf32>
  %1 = graph.unary relu %0 : (tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  return %1 : tensor<1x16x7x7xf32>
}

// -----

// If one group contains all readers of a value, the value is inside the group: x * sigmoid(x).
// CHECK-LABEL: @readers_in_one_group_share_a_value
// CHECK: graph.kernel %arg0, %arg1
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[P:.*]] = graph.matmul
// CHECK-NEXT: %[[S:.*]] = graph.unary sigmoid %[[P]]
// CHECK-NEXT: graph.binary mul %[[P]], %[[S]]
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @readers_in_one_group_share_a_value(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = graph.unary sigmoid %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.binary mul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// No reader of the shared value is the last op: Gelu that scales x first.
// CHECK-LABEL: @shared_value_of_inner_ops
// CHECK: graph.kernel
// CHECK: graph.binary add
// CHECK: graph.binary mul
// CHECK: graph.unary erf
// CHECK: graph.binary mul
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @shared_value_of_inner_ops(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %x = graph.binary add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = graph.unary erf %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.binary mul %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.binary mul %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A value with a reader outside the group is stored.
// CHECK-LABEL: @reader_outside_stores_the_value
// CHECK: %[[E:.*]] = graph.kernel %arg0
// CHECK: graph.unary exp
// CHECK: graph.kernel %[[E]]
// CHECK: graph.unary neg
// CHECK: graph.binary mul
func.func @reader_outside_stores_the_value(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.unary exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.unary neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.binary mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The transpose reads the value at another index, so the kernel would compute the value twice.
// CHECK-LABEL: @reader_at_another_index_stores_the_value
// CHECK: %[[E:.*]] = graph.kernel %arg0
// CHECK: graph.unary exp
// CHECK: graph.kernel %[[E]]
// CHECK: graph.unary neg
// CHECK: graph.transpose
// CHECK: graph.binary mul
func.func @reader_at_another_index_stores_the_value(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.unary exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.unary neg %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.transpose %1 {perm = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.binary mul %0, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Both readers loop over the value, and a group has at most one loop.
// CHECK-LABEL: @two_products_stay_apart_from_a_shared_value
// CHECK: graph.kernel
// CHECK: graph.matmul
// CHECK: graph.kernel
// CHECK: graph.matmul
// CHECK: graph.binary add
func.func @two_products_stay_apart_from_a_shared_value(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.matmul %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.binary add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Two ops that loop never share a kernel.
// CHECK-LABEL: @products_stay_apart
// CHECK: graph.kernel
// CHECK: graph.matmul
// CHECK: graph.kernel
// CHECK: graph.matmul
func.func @products_stay_apart(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.matmul %0, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A reshape is a view; a scalar constant is copied inside.
// CHECK-LABEL: @reshape_stays_outside
// CHECK: graph.reshape
// CHECK: graph.kernel
// CHECK: graph.constant dense<2.000000e+00>
// CHECK: graph.binary mul
func.func @reshape_stays_outside(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %shape = graph.constant dense<6> : tensor<1xi64>
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  %1 = graph.binary mul %0, %two : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// A smaller operand would be computed again for each element that reads it.
// CHECK-LABEL: @broadcast_operand_is_stored
// CHECK: graph.kernel
// CHECK: graph.unary exp
// CHECK: graph.kernel
// CHECK: graph.binary add
func.func @broadcast_operand_is_stored(%x: tensor<8x4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = graph.unary exp %y : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.binary add %x, %0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// The template `product` reads transposed factors and writes a transposed result by their strides.
// CHECK-LABEL: @transposes_join_a_computed_product
// CHECK: graph.kernel %arg0, %arg1
// CHECK: graph.transpose
// CHECK: graph.transpose
// CHECK: graph.matmul
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @transposes_join_a_computed_product(%a: tensor<4x3x8xf32>, %b: tensor<5x3x8xf32>) -> tensor<4x3x5xf32> {
  %0 = graph.transpose %a {perm = array<i64: 1, 0, 2>} : (tensor<4x3x8xf32>) -> tensor<3x4x8xf32>
  %1 = graph.transpose %b {perm = array<i64: 1, 2, 0>} : (tensor<5x3x8xf32>) -> tensor<3x8x5xf32>
  %2 = graph.matmul %0, %1 : (tensor<3x4x8xf32>, tensor<3x8x5xf32>) -> tensor<3x4x5xf32>
  %3 = graph.transpose %2 {perm = array<i64: 1, 0, 2>} : (tensor<3x4x5xf32>) -> tensor<4x3x5xf32>
  return %3 : tensor<4x3x5xf32>
}

// -----

// conv_direct computes a product with a constant matrix, but not together with a transpose.
// CHECK-LABEL: @transpose_stays_before_a_layer
// CHECK: graph.kernel
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK: graph.kernel
// CHECK: graph.matmul
func.func @transpose_stays_before_a_layer(%a: tensor<8x4xf32>) -> tensor<4x5xf32> {
  %w = graph.constant dense<1.0> : tensor<8x5xf32>
  %0 = graph.transpose %a {perm = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// A template converts f16 weights when it loads them.
// CHECK-LABEL: @cast_of_weights_joins_the_layer
// CHECK: %[[W:.*]] = graph.constant dense<1.000000e+00> : tensor<8x5xf16>
// CHECK-NEXT: graph.kernel %[[W]], %arg0
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.unary relu
func.func @cast_of_weights_joins_the_layer(%a: tensor<4x8xf32>) -> tensor<4x5xf32> {
  %w = graph.constant dense<1.0> : tensor<8x5xf16>
  %0 = "graph.cast"(%w) {to = f32} : (tensor<8x5xf16>) -> tensor<8x5xf32>
  %1 = graph.matmul %a, %0 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %2 = graph.unary relu %1 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// The template of the product stores no f16, so the cast of the result is a kernel of its own.
// CHECK-LABEL: @cast_of_a_result_stays_outside
// CHECK: graph.kernel
// CHECK: graph.matmul
// CHECK-NEXT: graph.unary relu
// CHECK-NEXT: graph.yield
// CHECK: graph.kernel
// CHECK: graph.cast
func.func @cast_of_a_result_stays_outside(%a: tensor<4x8xf32>) -> tensor<4x5xf16> {
  %w = graph.constant dense<1.0> : tensor<8x5xf16>
  %v = "graph.cast"(%w) {to = f32} : (tensor<8x5xf16>) -> tensor<8x5xf32>
  %0 = graph.matmul %a, %v : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = graph.unary relu %0 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = "graph.cast"(%1) {to = f16} : (tensor<4x5xf32>) -> tensor<4x5xf16>
  return %2 : tensor<4x5xf16>
}

// -----

// The cast of a factor that is computed stays outside: conv_direct expects packed weights.
// CHECK-LABEL: @cast_of_a_computed_factor_stays_outside
// CHECK: graph.kernel
// CHECK: graph.cast
// CHECK: graph.yield
// CHECK: graph.kernel
// CHECK: graph.matmul
func.func @cast_of_a_computed_factor_stays_outside(%a: tensor<4x8xf32>, %b: tensor<8x5xf16>) -> tensor<4x5xf32> {
  %0 = "graph.cast"(%b) {to = f32} : (tensor<8x5xf16>) -> tensor<8x5xf32>
  %1 = graph.matmul %a, %0 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// No template multiplies f64 with transposed factors.
// CHECK-LABEL: @unsupported_type_keeps_the_transpose
// CHECK: graph.kernel
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK: graph.kernel
// CHECK: graph.matmul
func.func @unsupported_type_keeps_the_transpose(%a: tensor<8x4xf64>, %b: tensor<8x5xf64>) -> tensor<4x5xf64> {
  %0 = graph.transpose %a {perm = array<i64: 1, 0>} : (tensor<8x4xf64>) -> tensor<4x8xf64>
  %1 = graph.matmul %0, %b : (tensor<4x8xf64>, tensor<8x5xf64>) -> tensor<4x5xf64>
  return %1 : tensor<4x5xf64>
}

// -----

// A template supports the convolution, but not the gather of its other addend. Two kernels are
// faster than generic loops.
// CHECK-LABEL: @gather_does_not_join_a_convolution
// CHECK: %[[G:.*]] = graph.kernel
// CHECK: graph.gather
// CHECK: graph.kernel {{.*}}%[[G]]
// CHECK-NOT: graph.gather
// CHECK: graph.conv
// CHECK: graph.binary add
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @gather_does_not_join_a_convolution(%x: tensor<1x16x16x16xf32>, %y: tensor<1x16x16x8xf32>) -> tensor<1x16x16x16xf32> {
  %w = graph.constant dense<0.5> : tensor<16x16x3x3xf32>
  %at = graph.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]> : tensor<16xi64>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
  %1 = graph.gather %y, %at {axis = 3 : i64} : (tensor<1x16x16x8xf32>, tensor<16xi64>) -> tensor<1x16x16x16xf32>
  %2 = graph.binary add %0, %1 : (tensor<1x16x16x16xf32>, tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %2 : tensor<1x16x16x16xf32>
}

// -----

// No template supports a convolution whose weights are computed, so the gather joins it.
// CHECK-LABEL: @gather_joins_a_layer_without_template
// CHECK: graph.kernel
// CHECK: graph.conv
// CHECK: graph.gather
// CHECK: graph.binary add
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @gather_joins_a_layer_without_template(%x: tensor<1x16x16x16xf32>, %w: tensor<16x16x3x3xf32>, %y: tensor<1x16x16x8xf32>) -> tensor<1x16x16x16xf32> {
  %at = graph.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]> : tensor<16xi64>
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
  %1 = graph.gather %y, %at {axis = 3 : i64} : (tensor<1x16x16x8xf32>, tensor<16xi64>) -> tensor<1x16x16x16xf32>
  %2 = graph.binary add %0, %1 : (tensor<1x16x16x16xf32>, tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %2 : tensor<1x16x16x16xf32>
}

// -----

// A gather of elements reads each index once, at the index of its result, so the steps of a walk through tables are one
// kernel.
// CHECK-LABEL: @steps_of_a_walk_are_one_kernel
// CHECK: graph.kernel %arg1, %arg0
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.binary add
// CHECK-NEXT: graph.gather
// CHECK-NEXT: graph.binary add
// CHECK-NEXT: graph.gather
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @steps_of_a_walk_are_one_kernel(%table: tensor<64xi32>, %at: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = graph.binary add %at, %at : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %1 = graph.gather %table, %0 {axis = 0 : i64} : (tensor<64xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %2 = graph.binary add %1, %0 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %3 = graph.gather %table, %2 {axis = 0 : i64} : (tensor<64xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  return %3 : tensor<4x8xi32>
}

// -----

// A gather reads its data at any position, so the kernel of the data is separate.
// CHECK-LABEL: @data_of_a_gather_is_in_memory
// CHECK: %[[DATA:.*]] = graph.kernel %arg0
// CHECK: graph.unary relu
// CHECK: graph.kernel {{.*}}%[[DATA]]
// CHECK: graph.gather
// CHECK: return
func.func @data_of_a_gather_is_in_memory(%x: tensor<64xf32>, %at: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %0 = graph.unary relu %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = graph.binary add %at, %at : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %2 = graph.gather %0, %1 {axis = 0 : i64} : (tensor<64xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
