// RUN: convoy-opt %s -convoy-nvdla-fuse-stages | FileCheck %s

// The integer graph rounds to 8 bits between the two jobs.
// CHECK-LABEL: func.func @integers_stay_apart
// CHECK-COUNT-2: nvdla.sdp
func.func @integers_stay_apart(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = nvdla.sdp %x {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.sdp %0 {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 9>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %1 : tensor<1x8x4x4xi8>
}

// A job has two stages.
// CHECK-LABEL: func.func @three_stages_stay_apart
// CHECK-COUNT-2: nvdla.sdp
func.func @three_stages_stay_apart(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %0 = nvdla.sdp %x {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>, x2 = #nvdla.stage<alu = max, aluOperand = 5>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %1 = nvdla.sdp %0 {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 9>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %1 : tensor<1x8x4x4xf16>
}

// Two values are needed, so two jobs write them.
// CHECK-LABEL: func.func @second_user_keeps_the_job
// CHECK-COUNT-2: nvdla.sdp
func.func @second_user_keeps_the_job(%x: tensor<1x8x4x4xf16>) -> (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) {
  %0 = nvdla.sdp %x {offset = 0 : i64, x1 = #nvdla.stage<relu = 1>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %1 = nvdla.sdp %0 {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 9>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %0, %1 : tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>
}

// Stages are computed before the curve of their job.
// CHECK-LABEL: func.func @stage_after_a_curve_stays
// CHECK-COUNT-2: nvdla.sdp
func.func @stage_after_a_curve_stays(%x: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
  %0 = nvdla.sdp %x {curve = 0 : i32, offset = 0 : i64} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  %1 = nvdla.sdp %0 {offset = 0 : i64, x1 = #nvdla.stage<alu = min, aluOperand = 9>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
  return %1 : tensor<1x8x4x4xf16>
}
