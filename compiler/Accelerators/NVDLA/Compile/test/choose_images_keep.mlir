// RUN: convoy-opt %s -convoy-nvdla-choose-images=config=nvdla-small | FileCheck %s

// CONV reads dilated kernels only from cubes.
// CHECK-LABEL: func.func @dilated_kernel_reads_a_cube
// CHECK-NOT: image
func.func @dilated_kernel_reads_a_cube(%x: tensor<1x3x8x8xi8>) -> tensor<1x8x4x4xi8> {
  %w = graph.constant dense<1> : tensor<8x3x3x3xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 2>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x3x8x8xi8>, tensor<8x3x3x3xi8>) -> tensor<1x8x4x4xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi8>
  return %1 : tensor<1x8x4x4xi8>
}

// CHECK-LABEL: func.func @groups_read_a_cube
// CHECK-NOT: image
func.func @groups_read_a_cube(%x: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8> {
  %w = graph.constant dense<1> : tensor<2x1x1x1xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, padValue = 0 : i64} : (tensor<1x2x8x8xi8>, tensor<2x1x1x1xi8>) -> tensor<1x2x8x8xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xi8>
  return %1 : tensor<1x2x8x8xi8>
}

// The convolution buffer has 131,072 bytes. A pixel has four samples, so the 31 rows of one output row
// have 31 * 1200 * 4 = 148,800 bytes.
// CHECK-LABEL: func.func @large_rows_read_a_cube
// CHECK-NOT: image
func.func @large_rows_read_a_cube(%x: tensor<1x2x31x1200xi8>) -> tensor<1x8x1x1200xi8> {
  %w = graph.constant dense<1> : tensor<8x2x31x1xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x2x31x1200xi8>, tensor<8x2x31x1xi8>) -> tensor<1x8x1x1200xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x1x1200xi32>) -> tensor<1x8x1x1200xi8>
  return %1 : tensor<1x8x1x1200xi8>
}
