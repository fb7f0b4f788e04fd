// RUN: convoy-opt %s -convoy-nvdla-split-pools=config=nvdla-full | FileCheck %s

// CHECK-LABEL: func.func @pool_moves_before_the_join
// CHECK: %[[A:.*]] = nvdla.pdp %arg0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x5x4x4xi8>) -> tensor<1x5x2x2xi8>
// CHECK: %[[B:.*]] = nvdla.pdp %arg1 {{.*}} : (tensor<1x3x4x4xi8>) -> tensor<1x3x2x2xi8>
// CHECK: %[[Y:.*]] = nvdla.join %[[A]], %[[B]] : (tensor<1x5x2x2xi8>, tensor<1x3x2x2xi8>) -> tensor<1x8x2x2xi8>
// CHECK: return %[[Y]]
func.func @pool_moves_before_the_join(%x: tensor<1x5x4x4xi8>, %z: tensor<1x3x4x4xi8>) -> tensor<1x8x2x2xi8> {
  %0 = nvdla.join %x, %z : (tensor<1x5x4x4xi8>, tensor<1x3x4x4xi8>) -> tensor<1x8x4x4xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x8x4x4xi8>) -> tensor<1x8x2x2xi8>
  return %1 : tensor<1x8x2x2xi8>
}

// CHECK-LABEL: func.func @two_inputs_of_fp16
// CHECK-COUNT-2: nvdla.pdp %arg{{[01]}}
// CHECK: nvdla.join
func.func @two_inputs_of_fp16(%x: tensor<1x8x4x4xf16>, %z: tensor<1x8x4x4xf16>) -> tensor<1x16x2x2xf16> {
  %0 = nvdla.join %x, %z : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x16x4x4xf16>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x16x4x4xf16>) -> tensor<1x16x2x2xf16>
  return %1 : tensor<1x16x2x2xf16>
}
