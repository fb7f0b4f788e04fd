// RUN: convoy-opt %s -split-input-file -convoy-nvdla-lower-conv-core=config=nvdla-full | FileCheck %s

// CHECK-LABEL: func.func @blocks_of_whole_atoms_are_contracted
// CHECK: nvdla.contract %arg0 {strides = array<i64: 2, 2>} : (tensor<1x64x4x4xf16>) -> tensor<1x16x8x8xf16>
func.func @blocks_of_whole_atoms_are_contracted(%x: tensor<1x64x4x4xf16>) -> tensor<1x16x8x8xf16> {
  %0 = convcore.rearrange %x {apart = array<i64: 1, 2, 2, 16, 4, 4>, permutation = array<i64: 0, 3, 4, 1, 5, 2>, shape = array<i64: 1, 16, 8, 8>} : (tensor<1x64x4x4xf16>) -> tensor<1x16x8x8xf16>
  return %0 : tensor<1x16x8x8xf16>
}

// -----

// Each of the four blocks of three channels gets an atom of 16 channels.
// CHECK-LABEL: func.func @other_blocks_are_selected_first
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<64x12x1x1xf16>
// CHECK: %[[SUMS:.*]] = nvdla.conv %arg0, %[[W]]
// CHECK: %[[B:.*]] = nvdla.sdp %[[SUMS]] {offset = 0 : i64} : (tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf16>
// CHECK: nvdla.contract %[[B]] {strides = array<i64: 2, 2>} : (tensor<1x64x4x4xf16>) -> tensor<1x3x8x8xf16>
func.func @other_blocks_are_selected_first(%x: tensor<1x12x4x4xf16>) -> tensor<1x3x8x8xf16> {
  %0 = convcore.rearrange %x {apart = array<i64: 1, 2, 2, 3, 4, 4>, permutation = array<i64: 0, 3, 4, 1, 5, 2>, shape = array<i64: 1, 3, 8, 8>} : (tensor<1x12x4x4xf16>) -> tensor<1x3x8x8xf16>
  return %0 : tensor<1x3x8x8xf16>
}

// -----

// The inputs of a join start with atoms of their own, so the phases of a transposed convolution need
// no selection.
// CHECK-LABEL: func.func @joined_phases_are_contracted
// CHECK: %[[J:.*]] = nvdla.join
// CHECK-NEXT: nvdla.contract %[[J]] {strides = array<i64: 1, 2>} : (tensor<1x6x4x4xf16>) -> tensor<1x3x4x8xf16>
func.func @joined_phases_are_contracted(%x: tensor<1x3x4x4xf16>, %y: tensor<1x3x4x4xf16>) -> tensor<1x3x4x8xf16> {
  %0 = convcore.concat %x, %y {axis = 1 : i64} : (tensor<1x3x4x4xf16>, tensor<1x3x4x4xf16>) -> tensor<1x6x4x4xf16>
  %1 = convcore.rearrange %0 {apart = array<i64: 1, 2, 3, 4, 4>, permutation = array<i64: 0, 2, 3, 4, 1>, shape = array<i64: 1, 3, 4, 8>} : (tensor<1x6x4x4xf16>) -> tensor<1x3x4x8xf16>
  return %1 : tensor<1x3x4x8xf16>
}

// -----

// CHECK-LABEL: func.func @channels_and_rows_are_exchanged
// CHECK: %[[P:.*]] = nvdla.split %arg0 {channels = 20 : i64, lineStep = 640 : i64, offsets = array<i64: 0>, planeStep = 32 : i64} : (tensor<1x20x9x7xf16>) -> tensor<5760xf16>
// CHECK: nvdla.merge %[[P]] {channels = 9 : i64, lineStep = 32 : i64, offsets = array<i64: 0>, planeStep = 640 : i64} : (tensor<5760xf16>) -> tensor<1x9x20x7xf16>
func.func @channels_and_rows_are_exchanged(%x: tensor<1x20x9x7xf16>) -> tensor<1x9x20x7xf16> {
  %0 = convcore.rearrange %x {apart = array<i64: 1, 20, 9, 7>, permutation = array<i64: 0, 2, 1, 3>, shape = array<i64: 1, 9, 20, 7>} : (tensor<1x20x9x7xf16>) -> tensor<1x9x20x7xf16>
  return %0 : tensor<1x9x20x7xf16>
}

// -----

// CHECK-LABEL: func.func @a_reshape_keeps_rows
// CHECK: %[[P:.*]] = nvdla.split %arg0 {channels = 6 : i64, lineStep = 32 : i64, offsets = array<i64: 0>, planeStep = 128 : i64} : (tensor<1x6x4x5xf16>) -> tensor<768xf16>
// CHECK: nvdla.merge %[[P]] {channels = 8 : i64, lineStep = 32 : i64, offsets = array<i64: 0>, planeStep = 96 : i64}
func.func @a_reshape_keeps_rows(%x: tensor<1x6x4x5xf16>) -> tensor<1x8x3x5xf16> {
  %0 = convcore.reshape %x {shape = array<i64: 1, 8, 3, 5>} : (tensor<1x6x4x5xf16>) -> tensor<1x8x3x5xf16>
  return %0 : tensor<1x8x3x5xf16>
}
