// RUN: convoy-opt %s -convoy-nvdla-choose-images=config=nvdla-small | FileCheck %s

// CHECK-LABEL: func.func @three_channels_are_an_image
// CHECK: nvdla.conv %arg0, %{{.*}}groups = 1 : i64, image, padValue
func.func @three_channels_are_an_image(%x: tensor<1x3x8x8xi8>) -> tensor<1x8x8x8xi8> {
  %w = graph.constant dense<1> : tensor<8x3x3x3xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x3x8x8xi8>, tensor<8x3x3x3xi8>) -> tensor<1x8x8x8xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi8>
  return %1 : tensor<1x8x8x8xi8>
}

// CHECK-LABEL: func.func @five_channels_are_a_cube
// CHECK-NOT: image
func.func @five_channels_are_a_cube(%x: tensor<1x5x8x8xi8>) -> tensor<1x8x8x8xi8> {
  %w = graph.constant dense<1> : tensor<8x5x3x3xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x5x8x8xi8>, tensor<8x5x3x3xi8>) -> tensor<1x8x8x8xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi8>
  return %1 : tensor<1x8x8x8xi8>
}

// Two readers need one layout.
// CHECK-LABEL: func.func @second_reader_keeps_the_cube
// CHECK-NOT: image
func.func @second_reader_keeps_the_cube(%x: tensor<1x3x8x8xi8>) -> (tensor<1x8x8x8xi8>, tensor<1x3x8x8xi8>) {
  %w = graph.constant dense<1> : tensor<8x3x1x1xi8>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x3x8x8xi8>, tensor<8x3x1x1xi8>) -> tensor<1x8x8x8xi32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi8>
  %2 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x3x8x8xi8>) -> tensor<1x3x8x8xi8>
  return %1, %2 : tensor<1x8x8x8xi8>, tensor<1x3x8x8xi8>
}

// The value is written by SDP, which writes cubes.
// CHECK-LABEL: func.func @computed_value_is_a_cube
// CHECK-NOT: image
func.func @computed_value_is_a_cube(%x: tensor<1x3x8x8xi8>) -> tensor<1x8x8x8xi8> {
  %w = graph.constant dense<1> : tensor<8x3x1x1xi8>
  %0 = nvdla.sdp %x {offset = 0 : i64} : (tensor<1x3x8x8xi8>) -> tensor<1x3x8x8xi8>
  %1 = nvdla.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x3x8x8xi8>, tensor<8x3x1x1xi8>) -> tensor<1x8x8x8xi32>
  %2 = nvdla.sdp %1 {offset = 0 : i64} : (tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi8>
  return %2 : tensor<1x8x8x8xi8>
}
