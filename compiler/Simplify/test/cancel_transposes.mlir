// RUN: convoy-opt --convoy-graph-cancel-transposes %s | FileCheck %s

// CHECK-LABEL: @inverse_behind_relu_is_gone
// CHECK-NEXT: %[[Y:.*]] = graph.unary relu %arg0
// CHECK-NEXT: return %[[Y]]
func.func @inverse_behind_relu_is_gone(%x: tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32> {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %1 = graph.unary relu %0 : (tensor<1x5x6x4xf32>) -> tensor<1x5x6x4xf32>
  %2 = graph.transpose %1 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x5x6x4xf32>) -> tensor<1x4x5x6xf32>
  return %2 : tensor<1x4x5x6xf32>
}

// Constant folding turns a bias along the last dimension into a bias along the second one.
// CHECK-LABEL: @constants_turn
// CHECK: %[[R:.*]] = graph.reshape %{{.*}} -> tensor<1x1x1x4xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[R]] {perm = array<i64: 0, 3, 1, 2>} {{.*}} -> tensor<1x4x1x1xf32>
// CHECK: graph.binary add %arg0, %[[T]]
// CHECK-NOT: graph.transpose
func.func @constants_turn(%x: tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32> {
  %b = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %1 = graph.binary add %0, %b : (tensor<1x5x6x4xf32>, tensor<4xf32>) -> tensor<1x5x6x4xf32>
  %2 = graph.transpose %1 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x5x6x4xf32>) -> tensor<1x4x5x6xf32>
  return %2 : tensor<1x4x5x6xf32>
}

// CHECK-LABEL: @sums_and_joins_move_too
// CHECK: %[[S:.*]] = graph.binary add %arg0, %arg1
// CHECK: graph.concat %[[S]], %arg1 {axis = 1 : i64}
// CHECK-NOT: graph.transpose
func.func @sums_and_joins_move_too(%x: tensor<1x4x5x6xf32>, %y: tensor<1x4x5x6xf32>) -> tensor<1x8x5x6xf32> {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %1 = graph.transpose %y {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %2 = graph.binary add %0, %1 : (tensor<1x5x6x4xf32>, tensor<1x5x6x4xf32>) -> tensor<1x5x6x4xf32>
  %3 = graph.concat %2, %1 {axis = 3 : i64} : (tensor<1x5x6x4xf32>, tensor<1x5x6x4xf32>) -> tensor<1x5x6x8xf32>
  %4 = graph.transpose %3 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x5x6x8xf32>) -> tensor<1x8x5x6xf32>
  return %4 : tensor<1x8x5x6xf32>
}

// CHECK-LABEL: @means_over_the_map_need_no_order
// CHECK: %[[A:.*]] = graph.constant dense<[2, 3]>
// CHECK: %[[M:.*]] = graph.reduce mean %arg0 over %[[A]]
// CHECK-NEXT: return %[[M]]
func.func @means_over_the_map_need_no_order(%x: tensor<2x4x5x6xf32>) -> tensor<2x4xf32> {
  %axes = graph.constant dense<[1, -2]> : tensor<2xi64>
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x4x5x6xf32>) -> tensor<2x5x6x4xf32>
  %1 = graph.reduce mean %0 over %axes {keepDims = false} : (tensor<2x5x6x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @pads_move_with_their_dimensions
// CHECK: graph.constant dense<[0, 0, 1, 3, 0, 0, 2, 4]>
// CHECK: graph.pad %arg0
// CHECK-NOT: graph.transpose
func.func @pads_move_with_their_dimensions(%x: tensor<1x4x5x6xf32>) -> tensor<1x4x8x13xf32> {
  %pads = graph.constant dense<[0, 1, 3, 0, 0, 2, 4, 0]> : tensor<8xi64>
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x5x6xf32>) -> tensor<1x5x6x4xf32>
  %1 = "graph.pad"(%0, %pads) {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x5x6x4xf32>, tensor<8xi64>) -> tensor<1x8x13x4xf32>
  %2 = graph.transpose %1 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x8x13x4xf32>) -> tensor<1x4x8x13xf32>
  return %2 : tensor<1x4x8x13xf32>
}

// CHECK-LABEL: @ones_are_reshaped
// CHECK: graph.reshape
// CHECK-NOT: graph.transpose
func.func @ones_are_reshaped(%x: tensor<1x64x1x1xf32>) -> tensor<1x1x1x64xf32> {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x64x1x1xf32>) -> tensor<1x1x1x64xf32>
  return %0 : tensor<1x1x1x64xf32>
}

// The pass changes nothing, because the transpose has another reader.
// CHECK-LABEL: @a_second_reader_keeps_it
// CHECK-NEXT: %[[T:.*]] = graph.transpose %arg0
// CHECK-NEXT: graph.unary relu %[[T]]
func.func @a_second_reader_keeps_it(%x: tensor<4x5xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %0 = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %1 = graph.unary relu %0 : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<5x4xf32>
}
