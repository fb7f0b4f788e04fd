// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-small | FileCheck %s

// CHECK-LABEL: func.func @concat_is_a_join
// CHECK: nvdla.join %arg0, %arg1 : (tensor<1x5x4x4xi8>, tensor<1x3x4x4xi8>) -> tensor<1x8x4x4xi8>
func.func @concat_is_a_join(%x: tensor<1x5x4x4xi8>, %y: tensor<1x3x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.concat %x, %y {axis = 1 : i64} : (tensor<1x5x4x4xi8>, tensor<1x3x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}

// An atom has 8 channels, so channel 8 is the first of an atom.
// CHECK-LABEL: func.func @slice_at_an_atom_is_a_view
// CHECK: nvdla.view %arg0 {offsets = array<i64: 8, 1, 2>} : (tensor<1x16x4x4xi8>) -> tensor<1x4x2x2xi8>
func.func @slice_at_an_atom_is_a_view(%x: tensor<1x16x4x4xi8>) -> tensor<1x4x2x2xi8> {
  %0 = convcore.slice %x {offsets = array<i64: 0, 8, 1, 2>, sizes = array<i64: 1, 4, 2, 2>} : (tensor<1x16x4x4xi8>) -> tensor<1x4x2x2xi8>
  return %0 : tensor<1x4x2x2xi8>
}

// The second input of a join starts with an atom of its own, so channel 5 of the result is the first
// of an atom.
// CHECK-LABEL: func.func @slice_of_a_join_knows_its_gaps
// CHECK: %[[J:.*]] = nvdla.join
// CHECK: nvdla.view %[[J]] {offsets = array<i64: 5, 0, 0>}
func.func @slice_of_a_join_knows_its_gaps(%x: tensor<1x5x4x4xi8>, %y: tensor<1x3x4x4xi8>) -> tensor<1x3x4x4xi8> {
  %0 = convcore.concat %x, %y {axis = 1 : i64} : (tensor<1x5x4x4xi8>, tensor<1x3x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = convcore.slice %0 {offsets = array<i64: 0, 5, 0, 0>, sizes = array<i64: 1, 3, 4, 4>} : (tensor<1x8x4x4xi8>) -> tensor<1x3x4x4xi8>
  return %1 : tensor<1x3x4x4xi8>
}

// Channels 1 and 2 are not at the start of an atom. A view selects the rows, then a convolution with
// ones and zeros selects the channels.
// CHECK-LABEL: func.func @slice_inside_of_an_atom_is_a_convolution
// CHECK: %[[V:.*]] = nvdla.view %arg0 {offsets = array<i64: 0, 1, 0>} : (tensor<1x3x4x4xi8>) -> tensor<1x3x2x4xi8>
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}0]], {{\[\[}}1]], {{\[\[}}0]]], {{\[\[\[}}0]], {{\[\[}}0]], {{\[\[}}1]]]]> : tensor<2x3x1x1xi8>
// CHECK: %[[SUMS:.*]] = nvdla.conv %[[V]], %[[W]]
// CHECK: nvdla.sdp %[[SUMS]] {offset = 0 : i64} : (tensor<1x2x2x4xi32>) -> tensor<1x2x2x4xi8>
func.func @slice_inside_of_an_atom_is_a_convolution(%x: tensor<1x3x4x4xi8>) -> tensor<1x2x2x4xi8> {
  %0 = convcore.slice %x {offsets = array<i64: 0, 1, 1, 0>, sizes = array<i64: 1, 2, 2, 4>} : (tensor<1x3x4x4xi8>) -> tensor<1x2x2x4xi8>
  return %0 : tensor<1x2x2x4xi8>
}

// CHECK-LABEL: func.func @reshape_is_a_view
// CHECK: nvdla.view %arg0 {offsets = array<i64: 0, 0, 0>} : (tensor<1x5x1x1xi8>) -> tensor<1x5xi8>
func.func @reshape_is_a_view(%x: tensor<1x5x1x1xi8>) -> tensor<1x5xi8> {
  %0 = convcore.reshape %x {shape = array<i64: 1, 5>} : (tensor<1x5x1x1xi8>) -> tensor<1x5xi8>
  return %0 : tensor<1x5xi8>
}

// CHECK-LABEL: func.func @copy_is_sdp_without_stages
// CHECK: nvdla.sdp %arg0 {offset = 0 : i64} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
func.func @copy_is_sdp_without_stages(%x: tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8> {
  %0 = convcore.copy %x : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  return %0 : tensor<1x5x4x4xi8>
}
