// RUN: convoy-opt %s -convoy-nvdla-choose-winograd=config=nvdla-full | FileCheck %s
// RUN: convoy-opt %S/choose_winograd.mlir -convoy-nvdla-choose-winograd=config=nvdla-full:optimize=memory | FileCheck %s --check-prefix=DIRECT
// RUN: convoy-opt %S/choose_winograd.mlir -convoy-nvdla-choose-winograd=config=nvdla-full:profile=separate | FileCheck %s --check-prefix=DIRECT
// RUN: convoy-opt %S/choose_winograd.mlir -convoy-nvdla-choose-winograd=config=nvdla-large | FileCheck %s --check-prefix=DIRECT

// Transformed weights take more bytes, the official compiler has no Winograd mode, and nv_large has no
// fp16.
// DIRECT-LABEL: func.func @three_by_three_is_winograd
// DIRECT: nvdla.conv
// DIRECT-NOT: winograd}
// DIRECT: return

// CHECK-LABEL: func.func @stride_two_is_direct
// CHECK-NOT: winograd
func.func @stride_two_is_direct(%x: tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16> {
  %w = graph.constant dense<1.0> : tensor<64x64x3x3xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x64x32x32xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x16x16xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x64x16x16xf32>) -> tensor<1x64x16x16xf16>
  return %1 : tensor<1x64x16x16xf16>
}

// CHECK-LABEL: func.func @bytes_are_direct
// CHECK-NOT: winograd
func.func @bytes_are_direct(%x: tensor<1x64x16x16xi8>) -> tensor<1x64x16x16xi8> {
  %w = graph.constant dense<1> : tensor<64x64x3x3xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x64x16x16xi8>, tensor<64x64x3x3xi8>) -> tensor<1x64x16x16xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x64x16x16xi32>) -> tensor<1x64x16x16xi8>
  return %1 : tensor<1x64x16x16xi8>
}

// Winograd mode needs two tiles of four outputs in each direction.
// CHECK-LABEL: func.func @one_tile_is_direct
// CHECK-NOT: winograd
func.func @one_tile_is_direct(%x: tensor<1x64x4x16xf16>) -> tensor<1x64x4x16xf16> {
  %w = graph.constant dense<1.0> : tensor<64x64x3x3xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x64x4x16xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x4x16xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x64x4x16xf32>) -> tensor<1x64x4x16xf16>
  return %1 : tensor<1x64x4x16xf16>
}
