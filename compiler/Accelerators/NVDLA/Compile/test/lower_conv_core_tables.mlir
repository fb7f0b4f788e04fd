// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core=config=nvdla-large | FileCheck %s

// The table has 257 entries of 16 bits. The resources at the end of the output have their bytes, after
// four bytes of alignment.
// CHECK-LABEL: func.func @lookup_is_stage_y
// CHECK: %[[T:.*]] = graph.constant dense_resource<[[SIGNED:.*]]> : tensor<257xi16>
// CHECK: nvdla.sdp %arg0 table(%[[T]]) {offset = 0 : i64} : (tensor<1x8x4x4xi8>, tensor<257xi16>) -> tensor<1x8x4x4xi8>
func.func @lookup_is_stage_y(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %t = graph.constant dense<7> : tensor<256xi8>
  %y = convcore.lookup %x, %t : (tensor<1x8x4x4xi8>, tensor<256xi8>) -> tensor<1x8x4x4xi8>
  return %y : tensor<1x8x4x4xi8>
}

// The table holds stored numbers, so an entry of an unsigned table is less by 128.
// CHECK-LABEL: func.func @unsigned_entries_are_stored_less_128
// CHECK: graph.constant dense_resource<[[UNSIGNED:.*]]> : tensor<257xi16>
func.func @unsigned_entries_are_stored_less_128(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xui8> {
  %t = graph.constant dense<7> : tensor<256xui8>
  %y = convcore.lookup %x, %t : (tensor<1x8x4x4xi8>, tensor<256xui8>) -> tensor<1x8x4x4xui8>
  return %y : tensor<1x8x4x4xui8>
}

// The tables stay; the input zero point 3 is subtracted, and the requantization is the output converter.
// CHECK-LABEL: func.func @normalization_keeps_its_tables
// CHECK: %[[NEAR:.*]] = graph.constant dense<100> : tensor<257xi16>
// CHECK: %[[FAR:.*]] = graph.constant dense<90> : tensor<65xi16>
// CHECK: nvdla.table_cdp %arg0, %[[NEAR]], %[[FAR]] {bias = 5 : i64, farShift = 9 : i64, farStart = 1024 : i64, inOffset = 3 : i64, nearShift = 2 : i64, scale = 9 : i64, shift = 10 : i64, size = 3 : i64}
func.func @normalization_keeps_its_tables(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %near = graph.constant dense<100> : tensor<257xi16>
  %far = graph.constant dense<90> : tensor<65xi16>
  %y = convcore.integer_lrn %x, %near, %far {size = 3 : i64, inputZeroPoint = 3 : i64, nearShift = 2 : i64, farStart = 1024 : i64, farShift = 9 : i64, bias = 5 : i64, requant = #convcore.requant<i8, multipliers = [9], shifts = [10], zeroPoint = 0, low = -128, high = 127, rounding = half_away>} : (tensor<1x8x4x4xi8>, tensor<257xi16>, tensor<65xi16>) -> tensor<1x8x4x4xi8>
  return %y : tensor<1x8x4x4xi8>
}

// 7 is 0x0007 and 7 - 128 is 0xFF87, low byte first.
// CHECK-DAG: [[SIGNED]]: "0x0100000007000700
// CHECK-DAG: [[UNSIGNED]]: "0x0100000087FF87FF
