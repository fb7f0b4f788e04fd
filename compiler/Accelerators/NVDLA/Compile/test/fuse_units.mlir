// RUN: convoy-opt %s -convoy-nvdla-fuse-units=config=nvdla-small | FileCheck %s

// The pool follows its SDP directly, before the other job.
// CHECK-LABEL: func.func @pool_follows_its_sdp
// CHECK: %[[S:.*]] = nvdla.sdp %{{.*}} {offset = 0 : i64, toPdp}
// CHECK-NEXT: %[[P:.*]] = nvdla.pdp %[[S]]
// CHECK-NEXT: %[[T:.*]] = nvdla.sdp %arg0
// CHECK-NEXT: return %[[P]], %[[T]]
func.func @pool_follows_its_sdp(%x: tensor<1x8x8x8xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x8x8xi8>) {
  %w = graph.constant dense<1> : tensor<8x8x1x1xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x8x8x8xi8>, tensor<8x8x1x1xi8>) -> tensor<1x8x8x8xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi8>
  %2 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x8x8xi8>) -> tensor<1x8x8x8xi8>
  %3 = nvdla.pdp %1 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x8x8xi8>) -> tensor<1x8x4x4xi8>
  return %3, %2 : tensor<1x8x4x4xi8>, tensor<1x8x8x8xi8>
}

// SDP without CONV runs as one job.
// CHECK-LABEL: func.func @sdp_of_a_cube_flies
// CHECK-NEXT: nvdla.sdp %arg0 {offset = 0 : i64, toPdp}
func.func @sdp_of_a_cube_flies(%x: tensor<1x8x8x8xi8>) -> tensor<1x8x4x4xi8> {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x8x8xi8>) -> tensor<1x8x8x8xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x8x8xi8>) -> tensor<1x8x4x4xi8>
  return %1 : tensor<1x8x4x4xi8>
}
