// RUN: convoy-opt %s -convoy-nvdla-fuse-stages | FileCheck %s

// CHECK-LABEL: func.func @two_stages_are_one_job
// CHECK-NEXT: %[[Y:.*]] = nvdla.sdp %arg0 {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>, x2 = #nvdla.stage<alu = min, aluOperand = 17920>}
// CHECK-NEXT: return %[[Y]]
func.func @two_stages_are_one_job(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %0 = nvdla.sdp %x {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %1 = nvdla.sdp %0 {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 17920>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %1 : tensor<1x8x4x4xf16>
}

// The second operand comes from a convolution, so it becomes the source, and the sum is the second stage
// of the convolution's SDP.
// CHECK-LABEL: func.func @sum_joins_its_convolution
// CHECK: %[[SUMS:.*]] = nvdla.conv
// CHECK-NEXT: %[[Y:.*]] = nvdla.sdp %[[SUMS]] x2(%arg0) {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>, x2 = #nvdla.stage<alu = sum, from = element>}
// CHECK-NEXT: return %[[Y]]
func.func @sum_joins_its_convolution(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x8x4x4xf16>, tensor<8x8x1x1xf16>) -> tensor<1x8x4x4xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf16>
  %2 = nvdla.sdp %x x1(%1) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, from = element>} : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %2 : tensor<1x8x4x4xf16>
}

// Both operands come from convolutions. The sum joins the later one, because the result of the earlier
// one is available before it.
// CHECK-LABEL: func.func @sum_joins_the_later_convolution
// CHECK: %[[A:.*]] = nvdla.conv %arg0
// CHECK-NEXT: %[[EARLY:.*]] = nvdla.sdp %[[A]]
// CHECK-NEXT: %[[B:.*]] = nvdla.conv %arg1
// CHECK-NEXT: nvdla.sdp %[[B]] x1(%[[EARLY]])
// CHECK-NOT: nvdla.sdp
func.func @sum_joins_the_later_convolution(%x: tensor<1x8x4x4xf16>, %z: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %w = graph.constant dense<1.0> : tensor<8x8x1x1xf16>
  %0 = nvdla.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x8x4x4xf16>, tensor<8x8x1x1xf16>) -> tensor<1x8x4x4xf32>
  %1 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf16>
  %2 = nvdla.conv %z, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, padValue = 0 : i64} : (tensor<1x8x4x4xf16>, tensor<8x8x1x1xf16>) -> tensor<1x8x4x4xf32>
  %3 = nvdla.sdp %2 {offset = 0 : i64} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf16>
  %4 = nvdla.sdp %1 x1(%3) {offset = 0 : i64, x1 = #nvdla.stage<alu = sum, from = element>} : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %4 : tensor<1x8x4x4xf16>
}

// A curve is computed after the stages, so it may follow them in one job.
// CHECK-LABEL: func.func @curve_joins_the_stages_before
// CHECK-NEXT: nvdla.sdp %arg0 {curve = 1 : i32, offset = 0 : i64, x1 = #nvdla.stage<relu = 1>}
// CHECK-NOT: nvdla.sdp
func.func @curve_joins_the_stages_before(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %0 = nvdla.sdp %x {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %1 = nvdla.sdp %0 {curve = 1 : i32, offset = 0 : i64} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %1 : tensor<1x8x4x4xf16>
}
