// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},convoy-kernels-lower-conv-pixels)' | FileCheck %s

#weights = #kernel.conv_weights<o = 3, i = 1, transposed = false>

// 20 pixels are two vectors of 16; the second one starts at pixel 4. This needs no masks, but some
// pixels are summed twice, so the residual must not share memory with the result. Tasks are two
// groups of three output channels and one group with the seventh.
// CHECK-LABEL: @pixels_are_one_row
// CHECK-NOT: in_place
// CHECK-SAME: range = 3 : i64
// CHECK: arith.minsi %{{.*}}, %c4
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: vector.load %arg0
// CHECK: memref.load %arg1
// CHECK: math.fma
// CHECK: vector.store {{.*}}, %arg3
// CHECK: scf.for {{.*}} -> (vector<16xf32>) {
task.kernel @pixels_are_one_row(%x: tensor<1x5x4x5xf32>, %w: tensor<7x5x1x1xf32, #weights>, %r: tensor<1x7x4x5xf32>)
    -> tensor<1x7x4x5xf32>
    attributes {config = #kernel.conv_pixels<lanes = 16, channels = 3, rows = 0, unroll = 1>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x5x4x5xf32>, tensor<7x5x1x1xf32, #weights>) -> tensor<1x7x4x5xf32>
  %1 = graph.binary add %0, %r : (tensor<1x7x4x5xf32>, tensor<1x7x4x5xf32>) -> tensor<1x7x4x5xf32>
  task.return %1 : tensor<1x7x4x5xf32>
}

// -----

#weights = #kernel.conv_weights<o = 3, i = 1, transposed = false>

// Two bands of two rows. Rows of six columns with their padding are copied with pitch 8: the next
// tap in a row is 1 element away, the next row of taps is 8 elements away.
// CHECK-LABEL: @bands_are_copied_with_padding
// CHECK-SAME: memref<{{[0-9]+}}xi8>
// CHECK-SAME: range = 2 : i64
// CHECK: memref.view %arg3
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: vector.load %arg0{{.*}} vector<4xf32>
// CHECK: vector.store
// CHECK: } else {
// CHECK: vector.store %{{.*}} vector<8xf32>
// CHECK-COUNT-27: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: vector.store %{{.*}}, %arg2{{.*}} vector<4xf32>
// CHECK: return
task.kernel @bands_are_copied_with_padding(%x: tensor<1x4x4x6xf32>, %w: tensor<3x4x3x3xf32, #weights>)
    -> tensor<1x3x4x6xf32>
    attributes {config = #kernel.conv_pixels<lanes = 16, channels = 3, rows = 2, unroll = 1>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x4x4x6xf32>, tensor<3x4x3x3xf32, #weights>) -> tensor<1x3x4x6xf32>
  task.return %0 : tensor<1x3x4x6xf32>
}

// -----

#weights = #kernel.conv_weights<o = 2, i = 1, transposed = false>

// At stride 2, shuffles of one vector separate even and odd columns, so that adjacent lanes are
// adjacent in memory. A row has five of each. The code writes eight, and the next row overwrites
// the last three.
// CHECK-LABEL: @strides_are_dealt_out
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK: vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK: math.fma {{.*}} : vector<16xf32>
task.kernel @strides_are_dealt_out(%x: tensor<1x2x9x9xf32>, %w: tensor<2x2x3x3xf32, #weights>)
    -> tensor<1x2x4x4xf32>
    attributes {config = #kernel.conv_pixels<lanes = 16, channels = 2, rows = 4, unroll = 1>} {
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x2x9x9xf32>, tensor<2x2x3x3xf32, #weights>) -> tensor<1x2x4x4xf32>
  task.return %0 : tensor<1x2x4x4xf32>
}
