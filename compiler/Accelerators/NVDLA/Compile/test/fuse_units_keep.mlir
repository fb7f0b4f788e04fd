// RUN: convoy-opt %s -convoy-nvdla-fuse-units=config=nvdla-small | FileCheck %s
// RUN: convoy-opt %S/fuse_units.mlir -convoy-nvdla-fuse-units=config=nvdla-small:profile=separate | FileCheck %s --check-prefix=SEPARATE

// SEPARATE-NOT: toPdp

// CHECK-LABEL: func.func @second_reader_needs_memory
// CHECK-NOT: toPdp
func.func @second_reader_needs_memory(%x: tensor<1x8x8x8xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x8x8xi8>) {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x8x8xi8>) -> tensor<1x8x8x8xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x8x8xi8>) -> tensor<1x8x4x4xi8>
  return %1, %0 : tensor<1x8x4x4xi8>, tensor<1x8x8x8xi8>
}

// The line buffer holds 512 outputs of one open row, and 256 of two open rows.
// CHECK-LABEL: func.func @wide_rows_need_memory
// CHECK-NOT: toPdp
// CHECK: return
func.func @wide_rows_need_memory(%x: tensor<1x8x2x513xi8>, %z: tensor<1x8x4x257xi8>) -> (tensor<1x8x2x513xi8>, tensor<1x8x3x257xi8>) {
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x8x2x513xi8>) -> tensor<1x8x2x513xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 1, 1>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x2x513xi8>) -> tensor<1x8x2x513xi8>
  %2 = nvdla.sdp %z {offset = 0 : i64} : (tensor<1x8x4x257xi8>) -> tensor<1x8x4x257xi8>
  %3 = nvdla.pdp %2 {kernel = array<i64: 2, 1>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x4x257xi8>) -> tensor<1x8x3x257xi8>
  return %1, %3 : tensor<1x8x2x513xi8>, tensor<1x8x3x257xi8>
}

// PDP reads rows, and Winograd mode writes tiles.
// CHECK-LABEL: func.func @winograd_needs_memory
// CHECK-NOT: toPdp
func.func @winograd_needs_memory(%x: tensor<1x8x8x8xf16>) -> tensor<1x8x4x4xf16> {
  %w = graph.constant dense<1.0> : tensor<8x8x3x3xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64, winograd} : (tensor<1x8x8x8xf16>, tensor<8x8x3x3xf16>) -> tensor<1x8x8x8xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf16>
  %2 = nvdla.pdp %1 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x4x4xf16>
  return %2 : tensor<1x8x4x4xf16>
}
