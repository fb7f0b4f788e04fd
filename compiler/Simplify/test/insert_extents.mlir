// RUN: convoy-opt --convoy-graph-insert-extents %s | FileCheck %s

// CHECK-LABEL: @columns_are_an_extent
// CHECK-SAME: -> (tensor<2x12xi64> {graph.dims = array<i32: -1, 0>, graph.name = "y"}, tensor<1xi64> {graph.extents, graph.name = "extents"})
// CHECK: %[[Y:.*]], %[[N:.*]] = graph.bounded_non_zero %arg0 : (tensor<3x4xf32>) -> (tensor<2x12xi64>, tensor<1xi64>)
// CHECK-NEXT: return %[[Y]], %[[N]]
func.func @columns_are_an_extent(%x: tensor<3x4xf32>) -> (tensor<2x?xi64> {graph.name = "y"}) {
  %y = graph.non_zero %x : (tensor<3x4xf32>) -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}

// The condition is shorter than the dimension, so that it bounds the size.
// CHECK-LABEL: @condition_bounds_slices
// CHECK-SAME: -> (tensor<4x2xf32> {graph.dims = array<i32: -1, 0>}, tensor<1xi64> {graph.extents, graph.name = "extents"})
// CHECK: graph.bounded_compress %arg0, %arg1 {axis = 1 : i64} : (tensor<4x3xf32>, tensor<2xi1>) -> (tensor<4x2xf32>, tensor<1xi64>)
func.func @condition_bounds_slices(%x: tensor<4x3xf32>, %c: tensor<2xi1>) -> tensor<4x?xf32> {
  %y = graph.compress %x, %c {axis = 1 : i64} : (tensor<4x3xf32>, tensor<2xi1>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// Without an axis, the result is a vector. The longer condition does not add elements.
// CHECK-LABEL: @flat_compress
// CHECK-SAME: -> (tensor<12xi8> {graph.dims = array<i32: 0>}, tensor<1xi64> {graph.extents, graph.name = "extents"})
func.func @flat_compress(%x: tensor<4x3xi8>, %c: tensor<20xi1>) -> tensor<?xi8> {
  %y = graph.compress %x, %c : (tensor<4x3xi8>, tensor<20xi1>) -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// Two ops have two extents; a result that the function returns twice has one. Fixed results keep
// their type.
// CHECK-LABEL: @extents_are_one_vector
// CHECK-SAME: -> (tensor<1x5xi64> {graph.dims = array<i32: -1, 0>}, tensor<5xf32>, tensor<2x6xi64> {graph.dims = array<i32: -1, 1>}, tensor<1x5xi64> {graph.dims = array<i32: -1, 0>}, tensor<2xi64> {graph.extents, graph.name = "extents"})
// CHECK: %[[A:.*]], %[[M:.*]] = graph.bounded_non_zero %arg0
// CHECK: %[[B:.*]], %[[N:.*]] = graph.bounded_non_zero %arg1
// CHECK: %[[E:.*]] = graph.concat %[[M]], %[[N]] {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
// CHECK-NEXT: return %[[A]], %arg0, %[[B]], %[[A]], %[[E]]
func.func @extents_are_one_vector(%x: tensor<5xf32>, %z: tensor<2x3xi1>)
    -> (tensor<1x?xi64>, tensor<5xf32>, tensor<2x?xi64>, tensor<1x?xi64>) {
  %0 = graph.non_zero %x : (tensor<5xf32>) -> tensor<1x?xi64>
  %1 = graph.non_zero %z : (tensor<2x3xi1>) -> tensor<2x?xi64>
  return %0, %x, %1, %0 : tensor<1x?xi64>, tensor<5xf32>, tensor<2x?xi64>, tensor<1x?xi64>
}

// CHECK-LABEL: @scalar_has_no_coordinates
// CHECK-SAME: -> (tensor<0x1xi64> {graph.dims = array<i32: -1, 0>}
func.func @scalar_has_no_coordinates(%x: tensor<f32>) -> tensor<0x?xi64> {
  %y = graph.non_zero %x : (tensor<f32>) -> tensor<0x?xi64>
  return %y : tensor<0x?xi64>
}

// CHECK-LABEL: @other_readers_need_the_size
// CHECK-SAME: -> tensor<1x?xi64>
// CHECK: graph.non_zero
func.func @other_readers_need_the_size(%x: tensor<5xf32>) -> tensor<1x?xi64> {
  %0 = graph.non_zero %x : (tensor<5xf32>) -> tensor<1x?xi64>
  %1 = graph.unary neg %0 : (tensor<1x?xi64>) -> tensor<1x?xi64>
  return %1 : tensor<1x?xi64>
}

// CHECK-LABEL: @open_operands_have_no_maximum
// CHECK: graph.non_zero
func.func @open_operands_have_no_maximum(%x: tensor<?xf32>) -> tensor<1x?xi64> {
  %0 = graph.non_zero %x : (tensor<?xf32>) -> tensor<1x?xi64>
  return %0 : tensor<1x?xi64>
}

// Equal slices are adjacent in the order. The inverse has a fixed size, so other ops may read it.
// CHECK-LABEL: @unique_slices
// CHECK-SAME: -> (tensor<3x4xf32> {graph.dims = array<i32: -1, 0>}, tensor<4xi64> {graph.dims = array<i32: 0>}, tensor<4xi64>, tensor<4xi64> {graph.dims = array<i32: 0>}, tensor<1xi64> {graph.extents, graph.name = "extents"})
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} -> tensor<4x3x1xf32>
// CHECK: %[[O:.*]] = graph.sort_slices %{{.*}} {descending = false} : (tensor<1x4x3xf32>) -> tensor<2x1x4xi64>
// CHECK: %[[G:.*]] = graph.group_slices %{{.*}}, %[[O]] {sorted = false} : (tensor<4x3xf32>, tensor<2x1x4xi64>) -> tensor<2x4xi64>
// CHECK: %[[Y:.*]], %[[I:.*]], %[[C:.*]], %[[N:.*]] = graph.bounded_unique %arg0, %[[G]] {axis = 1 : i64}
// CHECK: graph.slice %[[G]]
// CHECK: %[[J:.*]] = graph.reshape {{.*}} -> tensor<4xi64>
// CHECK: %[[A:.*]] = graph.unary neg %[[J]]
// CHECK: return %[[Y]], %[[I]], %[[A]], %[[C]], %[[N]]
func.func @unique_slices(%x: tensor<3x4xf32>) -> (tensor<3x?xf32>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>) {
  %0:4 = graph.unique %x {axis = 1 : i64, sorted = false} : (tensor<3x4xf32>) -> (tensor<3x?xf32>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  %1 = graph.unary neg %0#2 : (tensor<4xi64>) -> tensor<4xi64>
  return %0#0, %0#1, %1, %0#3 : tensor<3x?xf32>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>
}

// A constant limit bounds the boxes of each class.
// CHECK-LABEL: @kept_boxes
// CHECK-SAME: -> (tensor<8x3xi64> {graph.dims = array<i32: 0, -1>}, tensor<24x3xi64> {graph.dims = array<i32: 1, -1>}, tensor<2xi64> {graph.extents, graph.name = "extents"})
// CHECK: graph.sort_slices %{{.*}} {descending = true} : (tensor<4x6x1xf32>) -> tensor<2x4x6xi64>
// CHECK: graph.bounded_suppression %arg0, %arg1, {{.*}}maxRows = 2 : i64
// CHECK: graph.bounded_suppression %arg0, %arg1, {{.*}}maxRows = 6 : i64
func.func @kept_boxes(%b: tensor<2x6x4xf32>, %s: tensor<2x2x6xf32>, %m: tensor<1xi64>) -> (tensor<?x3xi64>, tensor<?x3xi64>) {
  %two = graph.constant dense<2> : tensor<1xi64>
  %0 = graph.non_max_suppression %b, %s, %two {boxesAreCentered = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x6x4xf32>, tensor<2x2x6xf32>, tensor<1xi64>) -> tensor<?x3xi64>
  %1 = graph.non_max_suppression %b, %s, %m {boxesAreCentered = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2x6x4xf32>, tensor<2x2x6xf32>, tensor<1xi64>) -> tensor<?x3xi64>
  return %0, %1 : tensor<?x3xi64>, tensor<?x3xi64>
}

// Only the scores above the threshold take time to sort; the kernel skips the others.
// CHECK-LABEL: @only_candidates_are_sorted
// CHECK: %[[T:.*]] = graph.reshape %arg2, {{.*}} -> tensor<f32>
// CHECK: %[[C:.*]] = graph.binary greater %arg1, %[[T]] : {{.*}} -> tensor<1x2x6xi1>
// CHECK: %[[LEAST:.*]] = graph.constant dense<0xFF800000> : tensor<f32>
// CHECK: %[[S:.*]] = graph.select %[[C]], %arg1, %[[LEAST]]
// CHECK: %[[L:.*]] = graph.reshape %[[S]], {{.*}} -> tensor<2x6x1xf32>
// CHECK: graph.sort_slices %[[L]] {descending = true}
// CHECK: graph.bounded_suppression %arg0, %arg1,
func.func @only_candidates_are_sorted(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %t: tensor<1xf32>) -> tensor<?x3xi64> {
  %two = graph.constant dense<2> : tensor<1xi64>
  %0 = graph.non_max_suppression %b, %s, %two, %t {boxesAreCentered = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<?x3xi64>
  return %0 : tensor<?x3xi64>
}
