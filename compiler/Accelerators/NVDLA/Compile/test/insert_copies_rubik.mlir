// RUN: convoy-opt %s -convoy-nvdla-insert-copies=config=nvdla-full | FileCheck %s

// An atom has 16 channels of f16. The blocks of 20 channels do not start with atoms; a convolution
// with weights of ones and zeros writes each of them into two atoms.
// CHECK-LABEL: func.func @blocks_get_atoms_of_their_own
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<128x80x1x1xf16>
// CHECK: nvdla.conv %arg0, %[[W]]
// CHECK: %[[B:.*]] = nvdla.sdp
// CHECK: nvdla.contract %[[B]] {strides = array<i64: 2, 2>} : (tensor<1x128x4x4xf16>) -> tensor<1x20x8x8xf16>
func.func @blocks_get_atoms_of_their_own(%x: tensor<1x80x4x4xf16>) -> tensor<1x20x8x8xf16> {
  %0 = nvdla.contract %x {strides = array<i64: 2, 2>} : (tensor<1x80x4x4xf16>) -> tensor<1x20x8x8xf16>
  return %0 : tensor<1x20x8x8xf16>
}

// CHECK-LABEL: func.func @splits_read_no_gaps
// CHECK: %[[J:.*]] = nvdla.join
// CHECK: nvdla.conv %[[J]]
// CHECK: %[[C:.*]] = nvdla.sdp
// CHECK: nvdla.split %[[C]]
func.func @splits_read_no_gaps(%x: tensor<1x5x4x4xf16>) -> tensor<1x4x10x4xf16> {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xf16>) -> tensor<1x5x4x4xf16>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xf16>) -> tensor<1x5x4x4xf16>
  %2 = nvdla.join %0, %1 : (tensor<1x5x4x4xf16>, tensor<1x5x4x4xf16>) -> tensor<1x10x4x4xf16>
  %3 = nvdla.split %2 {channels = 10 : i64, offsets = array<i64: 0>, planeStep = 32 : i64, lineStep = 320 : i64} : (tensor<1x10x4x4xf16>) -> tensor<1280xf16>
  %4 = nvdla.merge %3 {channels = 4 : i64, offsets = array<i64: 0>, planeStep = 320 : i64, lineStep = 32 : i64} : (tensor<1280xf16>) -> tensor<1x4x10x4xf16>
  return %4 : tensor<1x4x10x4xf16>
}
