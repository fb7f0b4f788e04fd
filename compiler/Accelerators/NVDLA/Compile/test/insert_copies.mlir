// RUN: convoy-opt %s -convoy-nvdla-insert-copies=config=nvdla-small | FileCheck %s

// The inputs of a join are written into its cube. The caller writes an argument elsewhere.
// CHECK-LABEL: func.func @joined_argument_is_copied
// CHECK: %[[C:.*]] = nvdla.sdp %arg0 {offset = 0 : i64}
// CHECK: %[[P:.*]] = nvdla.pdp
// CHECK: %[[D:.*]] = nvdla.sdp %arg0 {offset = 0 : i64}
// CHECK: nvdla.join %[[D]], %[[P]]
func.func @joined_argument_is_copied(%x: tensor<1x8x4x4xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x16x4x4xi8>) {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %2 = nvdla.join %x, %1 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %0, %2 : tensor<1x8x4x4xi8>, tensor<1x16x4x4xi8>
}

// A value has one place, so the second join reads a copy.
// CHECK-LABEL: func.func @second_join_reads_a_copy
// CHECK: %[[P:.*]] = nvdla.pdp %arg0
// CHECK: %[[Q:.*]] = nvdla.pdp %arg0
// CHECK: nvdla.join %[[P]], %[[Q]]
// CHECK: %[[R:.*]] = nvdla.pdp
// CHECK: %[[C:.*]] = nvdla.sdp %[[P]] {offset = 0 : i64}
// CHECK: nvdla.join %[[C]], %[[R]]
func.func @second_join_reads_a_copy(%x: tensor<1x8x4x4xi8>) -> (tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>) {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  %3 = nvdla.pdp %1 {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %4 = nvdla.join %0, %3 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %2, %4 : tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>
}

// An inner join is written into the outer join without a copy.
// CHECK-LABEL: func.func @join_of_a_join_needs_no_copy
// CHECK-COUNT-3: nvdla.pdp
// CHECK-NEXT: %[[J:.*]] = nvdla.join
// CHECK-NEXT: %[[K:.*]] = nvdla.join %[[J]],
// CHECK-NEXT: return %[[K]]
func.func @join_of_a_join_needs_no_copy(%x: tensor<1x8x4x4xi8>) -> tensor<1x24x4x4xi8> {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %2 = nvdla.pdp %1 {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %3 = nvdla.join %0, %1 : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  %4 = nvdla.join %3, %2 : (tensor<1x16x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x24x4x4xi8>
  return %4 : tensor<1x24x4x4xi8>
}
