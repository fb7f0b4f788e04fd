// RUN: convoy-opt %s -convoy-nvdla-choose-winograd=config=nvdla-full | FileCheck %s

// CHECK-LABEL: func.func @three_by_three_is_winograd
// CHECK: nvdla.conv {{.*}}winograd
func.func @three_by_three_is_winograd(%x: tensor<1x64x16x16xf16>) -> tensor<1x64x16x16xf16> {
  %w = graph.constant dense<1.0> : tensor<64x64x3x3xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x64x16x16xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x16x16xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x64x16x16xf32>) -> tensor<1x64x16x16xf16>
  return %1 : tensor<1x64x16x16xf16>
}

// Winograd mode writes 16 x 16 outputs. The cube of the second SDP can be padded; the caller's cannot.
// CHECK-LABEL: func.func @ragged_cube_must_be_padded
// CHECK: nvdla.conv %arg0{{.*}}winograd
// CHECK: nvdla.conv
// CHECK-NOT: winograd
// CHECK: return
func.func @ragged_cube_must_be_padded(%x: tensor<1x64x14x14xf16>) -> tensor<1x64x14x14xf16> {
  %w = graph.constant dense<1.0> : tensor<64x64x3x3xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x64x14x14xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x14x14xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf16>
  %2 = nvdla.conv %1, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x64x14x14xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x14x14xf32>
  %3 = nvdla.sdp %2 {offset = 0 : i64} : (tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf16>
  return %3 : tensor<1x64x14x14xf16>
}
