// RUN: convoy-opt %s -convoy-nvdla-insert-copies=config=nvdla-small | FileCheck %s

// CHECK-LABEL: func.func @returned_argument_is_copied
// CHECK-NEXT: %[[C:.*]] = nvdla.sdp %arg0 {offset = 0 : i64}
// CHECK-NEXT: return %[[C]]
func.func @returned_argument_is_copied(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  return %x : tensor<1x8x4x4xi8>
}

// Each result has memory of its own.
// CHECK-LABEL: func.func @second_result_is_a_copy
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK-NEXT: %[[C:.*]] = nvdla.sdp %[[P]] {offset = 0 : i64}
// CHECK-NEXT: return %[[P]], %[[C]]
func.func @second_result_is_a_copy(%x: tensor<1x8x4x4xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0, %0 : tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>
}

// A joined value is a part of the join's cube.
// CHECK-LABEL: func.func @joined_result_is_a_copy
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK: %[[Q:.*]] = nvdla.pdp
// CHECK: %[[J:.*]] = nvdla.join %[[P]], %[[Q]]
// CHECK-NEXT: %[[C:.*]] = nvdla.sdp %[[P]] {offset = 0 : i64}
// CHECK-NEXT: return %[[J]], %[[C]]
func.func @joined_result_is_a_copy(%x: tensor<1x8x4x4xi8>) -> (tensor<1x16x4x4xi8>, tensor<1x8x4x4xi8>) {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %2, %0 : tensor<1x16x4x4xi8>, tensor<1x8x4x4xi8>
}

// A view of a whole cube is the cube with another type.
// CHECK-LABEL: func.func @view_of_a_whole_cube_is_removed
// CHECK: %[[P:.*]] = nvdla.pdp {{.*}} -> tensor<1x8xi8>
// CHECK-NEXT: return %[[P]] : tensor<1x8xi8>
func.func @view_of_a_whole_cube_is_removed(%x: tensor<1x8x4x4xi8>) -> tensor<1x8xi8> {
  %0 = nvdla.pdp %x {kernel = array<i64: 4, 4>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x1x1xi8>
  %1 = nvdla.view %0 {offsets = array<i64: 0, 0, 0>} : (tensor<1x8x1x1xi8>) -> tensor<1x8xi8>
  return %1 : tensor<1x8xi8>
}

// A view of a part is not written by the function.
// CHECK-LABEL: func.func @view_of_a_part_is_copied
// CHECK: %[[V:.*]] = nvdla.view
// CHECK-NEXT: %[[C:.*]] = nvdla.sdp %[[V]]
// CHECK-NEXT: return %[[C]]
func.func @view_of_a_part_is_copied(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x2x4xi8> {
  %0 = nvdla.view %x {offsets = array<i64: 0, 1, 0>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x4xi8>
  return %0 : tensor<1x8x2x4xi8>
}
