// RUN: convoy-opt %s -convoy-nvdla-insert-copies=config=nvdla-small | FileCheck %s

// A blend reads both cubes from the memory of activations, with one surface stride. An argument is in
// another memory.
// CHECK-LABEL: func.func @blended_argument_is_copied
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK-NEXT: %[[C:.*]] = nvdla.sdp %arg0 {offset = 0 : i64}
// CHECK-NEXT: nvdla.blend %[[C]], %[[P]]
func.func @blended_argument_is_copied(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.blend %x, %0 {lhsFactor = 3 : i64, rhsFactor = 4 : i64} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi32>
  %2 = nvdla.sdp %1 {offset = 0 : i64} : (tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi8>
  return %2 : tensor<1x8x4x4xi8>
}

// A result is in a memory of its own, so a blended result is a copy.
// CHECK-LABEL: func.func @blended_result_is_a_copy
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK: %[[Y:.*]] = nvdla.sdp %{{.*}} : (tensor<1x8x4x4xi32>)
// CHECK: %[[R:.*]] = nvdla.sdp %[[P]] {offset = 0 : i64}
// CHECK: return %[[Y]], %[[R]]
func.func @blended_result_is_a_copy(%x: tensor<1x8x4x4xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %2 = nvdla.blend %0, %1 {lhsFactor = 3 : i64, rhsFactor = 4 : i64} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi32>
  %3 = nvdla.sdp %2 {offset = 0 : i64} : (tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi8>
  return %3, %0 : tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>
}
