// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 dot=bytes},convoy-kernels-lower-depthwise)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 dot=pairs},convoy-kernels-lower-depthwise)' | FileCheck %s --check-prefix=PAIRS

#blocked = #graph.blocked<c = 16>
#weights = #kernel.conv_weights<o = 16, i = 1, transposed = false>

// The zero points of the weights differ per channel. With dot products of bytes, the code also sums
// the inputs of three rows of taps (65793 is 0x00010101) and subtracts the sums times the zero
// points. Otherwise it subtracts the zero points from the weights.
// CHECK-LABEL: @zero_points_per_channel
// CHECK: dense<65793>
// CHECK: %[[SUM:.*]] = kernel.dot_bytes bytes us
// CHECK: %[[ZEROS:.*]] = vector.load %arg3{{.*}} vector<16xi32>
// CHECK: %[[TERM:.*]] = arith.muli %[[ZEROS]]
// CHECK: arith.subi %{{.*}}, %[[TERM]]
// PAIRS-LABEL: @zero_points_per_channel
// PAIRS: %[[ZEROS:.*]] = vector.load %arg3{{.*}} vector<16xi32>
// PAIRS: %[[BYTES:.*]] = vector.load %arg1
// PAIRS: %[[WIDE:.*]] = arith.extsi %[[BYTES]]
// PAIRS: arith.subi %[[WIDE]], %[[ZEROS]]
task.kernel @zero_points_per_channel(%x: tensor<1x16x5x4xui8, #blocked>, %w: tensor<16x1x3x1xi8, #weights>, %b: tensor<16xi32, #blocked>, %z: tensor<16xi32, #blocked>)
    -> tensor<1x16x3x4xi32, #blocked>
    attributes {config = #kernel.depthwise<block = 16, pixels = 2, held = 1, rows = 3>} {
  %0 = graph.integer_conv %x, %w, %b, %z {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 16 : i64}
      : (tensor<1x16x5x4xui8, #blocked>, tensor<16x1x3x1xi8, #weights>, tensor<16xi32, #blocked>, tensor<16xi32, #blocked>) -> tensor<1x16x3x4xi32, #blocked>
  task.return %0 : tensor<1x16x3x4xi32, #blocked>
}
