// RUN: convoy-opt %s -convoy-nvdla-insert-copies=config=nvdla-small | FileCheck %s

// An atom has 8 channels. The join of 5 and 5 channels has gaps after channel 4 of each input. A
// convolution with identity weights writes the channels without gaps.
// CHECK-LABEL: func.func @result_has_no_gaps
// CHECK: %[[J:.*]] = nvdla.join
// CHECK: %[[W:.*]] = graph.constant {{.*}} : tensor<10x10x1x1xi8>
// CHECK: %[[SUMS:.*]] = nvdla.conv %[[J]], %[[W]] {{.*}} -> tensor<1x10x4x4xi32>
// CHECK: %[[Y:.*]] = nvdla.sdp %[[SUMS]] {offset = 0 : i64}
// CHECK: return %[[Y]]
func.func @result_has_no_gaps(%x: tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8> {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x5x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8>
  return %2 : tensor<1x10x4x4xi8>
}

// The last input may end inside of an atom: no channel follows it.
// CHECK-LABEL: func.func @whole_atoms_have_no_gaps
// CHECK-NOT: nvdla.conv
func.func @whole_atoms_have_no_gaps(%x: tensor<1x8x4x4xi8>, %z: tensor<1x5x4x4xi8>) -> tensor<1x13x4x4xi8> {
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %z {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x8x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x13x4x4xi8>
  return %2 : tensor<1x13x4x4xi8>
}

// CDP sums over neighboring channels in memory.
// CHECK-LABEL: func.func @normalization_reads_no_gaps
// CHECK: %[[J:.*]] = nvdla.join
// CHECK: nvdla.conv %[[J]]
// CHECK: %[[C:.*]] = nvdla.sdp
// CHECK: nvdla.table_cdp %[[C]],
func.func @normalization_reads_no_gaps(%x: tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8> {
  %near = graph.constant dense<100> : tensor<257xi16>
  %far = graph.constant dense<90> : tensor<65xi16>
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x5x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8>
  %3 = nvdla.table_cdp %2, %near, %far {bias = 0 : i64, farShift = 9 : i64, farStart = 1024 : i64, inOffset = 0 : i64, nearShift = 2 : i64, scale = 9 : i64, shift = 10 : i64, size = 3 : i64} : (tensor<1x10x4x4xi8>, tensor<257xi16>, tensor<65xi16>) -> tensor<1x10x4x4xi8>
  return %3 : tensor<1x10x4x4xi8>
}

// The operand of a stage has the channel order of the source. CONV and its SDP run at the same time,
// so the copy comes before both.
// CHECK-LABEL: func.func @operand_of_a_stage_has_no_gaps
// CHECK: %[[J:.*]] = nvdla.join
// CHECK: nvdla.conv %[[J]]
// CHECK: %[[C:.*]] = nvdla.sdp
// CHECK: %[[SUMS:.*]] = nvdla.conv %arg1
// CHECK-NEXT: nvdla.sdp %[[SUMS]] x1(%[[C]])
func.func @operand_of_a_stage_has_no_gaps(%x: tensor<1x5x4x4xi8>, %z: tensor<1x8x4x4xi8>) -> tensor<1x10x4x4xi8> {
  %w = graph.constant dense<1> : tensor<10x8x1x1xi8>
  %0 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 1 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %1 = nvdla.pdp %x {kernel = array<i64: 3, 3>, method = 2 : i32, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x4x4xi8>
  %2 = nvdla.join %0, %1 : (tensor<1x5x4x4xi8>, tensor<1x5x4x4xi8>) -> tensor<1x10x4x4xi8>
  %3 = nvdla.conv %z, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x8x4x4xi8>, tensor<10x8x1x1xi8>) -> tensor<1x10x4x4xi32>
  %4 = nvdla.sdp %3 x1(%2) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, from = element>} : (tensor<1x10x4x4xi32>, tensor<1x10x4x4xi8>) -> tensor<1x10x4x4xi8>
  return %4 : tensor<1x10x4x4xi8>
}
