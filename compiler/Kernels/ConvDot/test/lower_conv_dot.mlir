// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 dot=bytes},convoy-kernels-lower-conv-dot)' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 dot=pairs},convoy-kernels-lower-conv-dot)' | FileCheck %s --check-prefix=PAIRS
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},convoy-kernels-lower-conv-dot)' | FileCheck %s --check-prefix=PLAIN

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 32, i = 16, transposed = false, offset = 0>

// A tile of 2 x 4 sums starts with the panel's corrections and sums four channels per step. Every
// load of weights reads the four bytes of each lane.
// CHECK-LABEL: @four_channels_to_a_lane
// CHECK-SAME: range = 4 : i64
// CHECK-COUNT-2: vector.load %arg1
// CHECK: scf.for
// CHECK-COUNT-8: kernel.dot_bytes bytes us
// CHECK: vector.store {{.*}} : memref<1024xi32>, vector<16xi32>
// PAIRS-LABEL: @four_channels_to_a_lane
// PAIRS-NOT: kernel.dot_bytes
// PAIRS: kernel.dot_words pairs
// PLAIN-LABEL: @four_channels_to_a_lane
// PLAIN-NOT: = kernel.dot_
// PLAIN: arith.muli {{.*}} : vector<16xi32>
// PLAIN-NOT: = kernel.dot_
task.kernel @four_channels_to_a_lane(%x: tensor<1x64x4x8xui8, #blocked>, %w: tensor<32x64x1x1xi8, #weights>)
    -> tensor<1x32x4x8xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 2, pixels = 4, columns = 0, rows = 1, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x64x4x8xui8, #blocked>, tensor<32x64x1x1xi8, #weights>) -> tensor<1x32x4x8xi32, #blocked>
  task.return %0 : tensor<1x32x4x8xi32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 16, transposed = false, offset = 131>

// The zero point is 3, and signed bytes are stored plus 128: taps outside the input multiply 131 in
// every byte, which is -2088533117 as an i32.
// CHECK-LABEL: @padding_is_the_zero_point
// CHECK: dense<-2088533117>
// CHECK: dense<-2139062144>
task.kernel @padding_is_the_zero_point(%x: tensor<1x16x4x4xi8, #blocked>, %w: tensor<16x16x3x3xi8, #weights>)
    -> tensor<1x16x4x4xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 1, pixels = 4, columns = 0, rows = 4, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 3 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x16x4x4xi8, #blocked>, tensor<16x16x3x3xi8, #weights>) -> tensor<1x16x4x4xi32, #blocked>
  task.return %0 : tensor<1x16x4x4xi32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 32, i = 16, transposed = false, offset = 5, ones = true>

// The zero point of the weights is 9. A task first stores the sum of the inputs of each of its eight
// pixels, an i32 in scratch memory: four steps of four pixels and one vector, with the panel of ones.
// The two tiles of sums then subtract 9 times these sums from each of their 2 x 4 accumulators.
// CHECK-LABEL: @inputs_are_summed_first
// CHECK-SAME: %[[X:.*]]: memref<2048xi8>, %[[W:.*]]: memref<4352xi8>, %{{.*}}: memref<1024xi32>, %[[SCRATCH:.*]]: memref<32xi8>
// CHECK-SAME: scratch = 32 : i64
// CHECK: scf.for
// CHECK-COUNT-16: kernel.dot_bytes bytes us
// CHECK-NOT: kernel.dot_bytes
// CHECK-COUNT-4: vector.store %{{.*}}, %[[SCRATCH]]
// CHECK-COUNT-32: kernel.dot_bytes bytes us
// CHECK-NOT: kernel.dot_bytes
// CHECK: dense<9> : vector<16xi32>
// CHECK: %[[BYTES:.*]] = vector.load %[[SCRATCH]]
// CHECK: %[[LANE:.*]] = vector.bitcast %[[BYTES]] : vector<4xi8> to vector<1xi32>
// CHECK: %[[SUM:.*]] = vector.extract %[[LANE]][0]
// CHECK: %[[ALL:.*]] = vector.broadcast %[[SUM]]
// CHECK: %[[TERM:.*]] = arith.muli %[[ALL]], %
// CHECK: arith.subi %{{.*}}, %[[TERM]]
task.kernel @inputs_are_summed_first(%x: tensor<1x64x4x8xui8, #blocked>, %w: tensor<32x64x1x1xi8, #weights>)
    -> tensor<1x32x4x8xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 2, pixels = 4, columns = 0, rows = 1, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 5 : i64, weightZeroPoint = 9 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x64x4x8xui8, #blocked>, tensor<32x64x1x1xi8, #weights>) -> tensor<1x32x4x8xi32, #blocked>
  task.return %0 : tensor<1x32x4x8xi32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 16, transposed = false, offset = 0, ones = true>

// Zero points per channel are loaded like the bias.
// CHECK-LABEL: @zero_points_per_channel
// CHECK: %[[ZEROS:.*]] = vector.load %arg3{{.*}} vector<16xi32>
// CHECK: arith.muli %[[ZEROS]]
task.kernel @zero_points_per_channel(%x: tensor<1x16x1x8xui8, #blocked>, %w: tensor<16x16x1x1xi8, #weights>, %b: tensor<16xi32, #blocked>, %z: tensor<16xi32, #blocked>)
    -> tensor<1x16x1x8xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 1, pixels = 4, columns = 0, rows = 1, panels = 1>} {
  %0 = graph.integer_conv %x, %w, %b, %z {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x16x1x8xui8, #blocked>, tensor<16x16x1x1xi8, #weights>, tensor<16xi32, #blocked>, tensor<16xi32, #blocked>) -> tensor<1x16x1x8xi32, #blocked>
  task.return %0 : tensor<1x16x1x8xi32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 16, transposed = false, offset = 0>

// The outer loop of a task runs over its two rows, and the loop inside over its two panels. A loop over
// two pairs of steps replaces the unrolled four steps of a block, and no pixel is prefetched.
// CHECK-LABEL: @rows_before_panels
// CHECK: scf.for %{{.*}} = %arg3 to %arg4
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to
// CHECK: scf.for %{{.*}} = %{{.*}} to
// CHECK: scf.for %{{.*}} = %[[ROW]] to
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-8: kernel.dot_bytes bytes us
// CHECK-NOT: kernel.dot_bytes
// CHECK: vector.store
task.kernel @rows_before_panels(%x: tensor<1x32x2x4xui8, #blocked>, %w: tensor<32x32x1x1xi8, #weights>)
    -> tensor<1x32x2x4xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 1, pixels = 4, columns = 0, rows = 2, panels = 2, unroll = 2, rowsFirst = true, noFetch = true>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x32x2x4xui8, #blocked>, tensor<32x32x1x1xi8, #weights>) -> tensor<1x32x2x4xi32, #blocked>
  task.return %0 : tensor<1x32x2x4xi32, #blocked>
}
