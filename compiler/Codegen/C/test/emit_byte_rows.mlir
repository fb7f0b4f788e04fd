// RUN: rm -rf %t && convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s < %t/net.c

// The functions of depthwise convolution, sums and pools are printed once, after the functions that
// they need.
// CHECK: CONVOY_INLINE void convoy_byte_fill(
// CHECK: convoy_byte_rescale(
// CHECK: convoy_byte_depthwise(uint8_t *result,
// CHECK-NOT: BEGIN
module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// CHECK: void net_rows(const uint8_t *restrict x0, const uint32_t *restrict x1,
task.kernel @rows(%x: memref<256xi8>, %t: memref<16xi32>, %y: memref<64xi8>, %scratch: memref<64xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read>, #task.access<read_write>, #task.access<read_write>],
                range = 1 : i64, scratch = 64 : i64, tensors = (tensor<256xi8>, tensor<16xi32>) -> tensor<64xi8>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  // CHECK: convoy_byte_depthwise(y0, x0, x0 + 64, x0, x0, x1, x1, x1, x1, scratch, 4, 16, 4, 4, 1, 1, 1,
  // CHECK-NEXT: -128, 64, 16, -1, -3, -128, 127);
  kernel.byte_depthwise %x[%c0], %x[%c64], %x[%c0], %x[%c0], %t[%c0], %t[%c0], %t[%c0], %t[%c0] to %y[%c0], %scratch[%c0], %c4
      {channels = 16 : i64, inputColumns = 4 : i64, outputColumns = 4 : i64, stride = 1 : i64, dilation = 1 : i64, pad = 1 : i64, inputZeroPoint = -128 : i64, first = 64 : i64, tableStep = 16 : i64, zeroStep = -1 : i64, zeroPoint = -3 : i64, low = -128 : i64, high = 127 : i64}
      : memref<256xi8>, memref<256xi8>, memref<256xi8>, memref<256xi8>, memref<16xi32>, memref<16xi32>, memref<16xi32>, memref<16xi32>, memref<64xi8>, memref<64xi8>
  // CHECK: convoy_byte_max(y0, x0, 16, 8, 4, 2, 2, 1, 0);
  kernel.byte_max %x[%c0] to %y[%c0] {channels = 16 : i64, inputColumns = 8 : i64, outputColumns = 4 : i64, taps = 2 : i64, stride = 2 : i64, dilation = 1 : i64, pad = 0 : i64}
      : memref<256xi8>, memref<64xi8>
  // CHECK: convoy_byte_sum({{.*}}, x0, 16, 8, 1, 8, 8, 1, 0, -128);
  kernel.byte_sum %x[%c0] to %scratch[%c0] {channels = 16 : i64, inputColumns = 8 : i64, outputColumns = 1 : i64, taps = 8 : i64, stride = 8 : i64, dilation = 1 : i64, pad = 0 : i64, inputZeroPoint = -128 : i64}
      : memref<256xi8>, memref<64xi8>
  // CHECK: convoy_byte_scale(y0, {{.*}}, 4, 1099511628, -6, -128, -128, 127, 1);
  kernel.byte_scale %scratch[%c0] to %y[%c0], %c4 {multiplier = 1099511628 : i64, shift = -6 : i64, zeroPoint = -128 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i64}
      : memref<64xi8>, memref<64xi8>
  task.return
}

func.func @main(%x: memref<256xi8> {memory.role = "input"}, %t: memref<16xi32> {memory.role = "input"}, %y: memref<64xi8> {memory.role = "output"}, %arena: memref<0xi8>, %weights: memref<0xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  task.call @rows(%x, %t, %y, %y, %c0, %c1) : memref<256xi8>, memref<16xi32>, memref<64xi8>, memref<64xi8>, index, index
  return
}
}
