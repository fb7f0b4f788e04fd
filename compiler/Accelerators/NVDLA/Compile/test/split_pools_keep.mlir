// RUN: convoy-opt %s -convoy-nvdla-split-pools=config=nvdla-full | FileCheck %s
// RUN: convoy-opt %S/split_pools.mlir -convoy-nvdla-split-pools=config=nvdla-full:profile=separate | FileCheck %s --check-prefix=SEPARATE

// The imitation of the official compiler leaves pools behind joins.
// SEPARATE-LABEL: func.func @pool_moves_before_the_join
// SEPARATE-NEXT: nvdla.join
// SEPARATE-NEXT: nvdla.pdp
// SEPARATE-NEXT: return

// CHECK-LABEL: func.func @second_reader_of_the_join
// CHECK-NEXT: %[[J:.*]] = nvdla.join
// CHECK-NEXT: nvdla.pdp %[[J]]
// CHECK-NEXT: nvdla.sdp %[[J]]
func.func @second_reader_of_the_join(%x: tensor<1x8x4x4xi8>, %z: tensor<1x8x4x4xi8>) -> (tensor<1x16x2x2xi8>, tensor<1x16x4x4xi8>) {
  %0 = nvdla.join %x, %z : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x16x4x4xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x16x4x4xi8>) -> tensor<1x16x2x2xi8>
  %2 = nvdla.sdp %0 {offset = 0 : i64} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8>
  return %1, %2 : tensor<1x16x2x2xi8>, tensor<1x16x4x4xi8>
}

// CHECK-LABEL: func.func @three_inputs_of_fp16
// CHECK-NEXT: %[[J:.*]] = nvdla.join
// CHECK-NEXT: nvdla.pdp %[[J]]
func.func @three_inputs_of_fp16(%x: tensor<1x8x4x4xf16>, %z: tensor<1x8x4x4xf16>) -> tensor<1x24x2x2xf16> {
  %0 = nvdla.join %x, %z, %x : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x24x4x4xf16>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x24x4x4xf16>) -> tensor<1x24x2x2xf16>
  return %1 : tensor<1x24x2x2xf16>
}

// CHECK-LABEL: func.func @five_inputs_of_bytes
// CHECK-NEXT: %[[J:.*]] = nvdla.join
// CHECK-NEXT: nvdla.pdp %[[J]]
func.func @five_inputs_of_bytes(%x: tensor<1x8x4x4xi8>) -> tensor<1x40x2x2xi8> {
  %0 = nvdla.join %x, %x, %x, %x, %x : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x40x4x4xi8>
  %1 = nvdla.pdp %0 {kernel = array<i64: 2, 2>, method = 1 : i32, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x40x4x4xi8>) -> tensor<1x40x2x2xi8>
  return %1 : tensor<1x40x2x2xi8>
}
