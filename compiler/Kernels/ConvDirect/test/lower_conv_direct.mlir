// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},convoy-kernels-lower-conv-direct)' | FileCheck %s

// Two vectors of output channels times two pixels stay in registers: one load per vector of
// weights, one broadcast pixel for both vectors, four multiply-adds. The code applies the relu to
// the sums before it stores them.
// CHECK-LABEL: task.kernel @pointwise
// CHECK-SAME: (%[[X:.*]]: memref<32xf32>, %[[W:.*]]: memref<128xf32>, %[[Y:.*]]: memref<64xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK-SAME: range = 1 : i64
// CHECK: scf.for {{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: vector.load %[[W]]
// CHECK: vector.load %[[W]]
// CHECK: memref.load %[[X]]
// CHECK: vector.broadcast
// CHECK-COUNT-2: math.fma
// CHECK: memref.load %[[X]]
// CHECK: vector.broadcast
// CHECK-COUNT-2: math.fma
// CHECK: arith.cmpf
// CHECK: vector.store {{.*}}, %[[Y]]
task.kernel @pointwise(%x: tensor<1x8x2x2xf32, #graph.blocked<c = 8>>, %w: tensor<16x8x1x1xf32, #kernel.conv_weights<o = 16, i = 8, transposed = false>>) -> tensor<1x16x2x2xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 2, pixels = 2, depth = 8, unroll = 1, columns = 0, rows = 2, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x2x2xf32, #graph.blocked<c = 8>>, tensor<16x8x1x1xf32, #kernel.conv_weights<o = 16, i = 8, transposed = false>>) -> tensor<1x16x2x2xf32>
  %1 = graph.unary relu %0 : (tensor<1x16x2x2xf32>) -> tensor<1x16x2x2xf32, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x16x2x2xf32, #graph.blocked<c = 8>>
}

// -----

// Weights of f16 have their type in memory. The code converts each vector of them once per step.
// CHECK-LABEL: task.kernel @narrow_weights
// CHECK-SAME: (%[[X:.*]]: memref<32xf32>, %[[W:.*]]: memref<64xf16>, %{{.*}}: memref<32xf32>
// CHECK: %[[N:.*]] = vector.load %[[W]]{{.*}} vector<8xf16>
// CHECK: %[[V:.*]] = arith.extf %[[N]] : vector<8xf16> to vector<8xf32>
// CHECK: math.fma %[[V]]
task.kernel @narrow_weights(%x: tensor<1x8x2x2xf32, #graph.blocked<c = 8>>, %w: tensor<8x8x1x1xf16, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x2x2xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 2, depth = 8, unroll = 1, columns = 0, rows = 2, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = "graph.cast"(%w) {to = f32} : (tensor<8x8x1x1xf16, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<8x8x1x1xf32>
  %1 = graph.conv %x, %0 {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x2x2xf32, #graph.blocked<c = 8>>, tensor<8x8x1x1xf32>) -> tensor<1x8x2x2xf32, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x2x2xf32, #graph.blocked<c = 8>>
}

// -----

// The added operand is read just before the result is written, so both may share memory. This does
// not hold for several passes, which store partial sums in the result.
// CHECK-LABEL: task.kernel @added
// CHECK-SAME: in_place = array<i64: 2, 3>
task.kernel @added(%x: tensor<1x8x1x3xf32, #graph.blocked<c = 8>>, %w: tensor<8x8x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>, %r: tensor<1x8x1x3xf32, #graph.blocked<c = 8>>) -> tensor<1x8x1x3xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 3, depth = 8, unroll = 1, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x1x3xf32, #graph.blocked<c = 8>>, tensor<8x8x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x3xf32>
  %1 = graph.binary add %0, %r : (tensor<1x8x1x3xf32>, tensor<1x8x1x3xf32, #graph.blocked<c = 8>>) -> tensor<1x8x1x3xf32, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x1x3xf32, #graph.blocked<c = 8>>
}

// CHECK-LABEL: task.kernel @added_in_passes
// CHECK-NOT: in_place
// CHECK: return
task.kernel @added_in_passes(%x: tensor<1x16x1x3xf32, #graph.blocked<c = 8>>, %w: tensor<8x16x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>, %r: tensor<1x8x1x3xf32, #graph.blocked<c = 8>>) -> tensor<1x8x1x3xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 3, depth = 8, unroll = 1, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x1x3xf32, #graph.blocked<c = 8>>, tensor<8x16x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x3xf32>
  %1 = graph.binary add %0, %r : (tensor<1x8x1x3xf32>, tensor<1x8x1x3xf32, #graph.blocked<c = 8>>) -> tensor<1x8x1x3xf32, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x8x1x3xf32, #graph.blocked<c = 8>>
}

// At the edges of a padded row, taps outside the input have no code: 7 of 3 taps times 3 pixels
// remain.
// CHECK-LABEL: task.kernel @padded
// CHECK-COUNT-7: math.fma
// CHECK-NOT: math.fma
// CHECK: vector.store
task.kernel @padded(%x: tensor<1x8x1x3xf32, #graph.blocked<c = 8>>, %w: tensor<8x8x1x3xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x3xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 3, depth = 8, unroll = 1, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x1x3xf32, #graph.blocked<c = 8>>, tensor<8x8x1x3xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x3xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x8x1x3xf32, #graph.blocked<c = 8>>
}

// -----

// Taps that skip the same pixels of an edge tile share code: tap 0, tap 1 and taps 2 to 4 of the left
// tile multiply 1, 2 and 3 pixels.
// CHECK-LABEL: task.kernel @taps_of_an_edge_tile_share_code
// CHECK: arith.cmpi sge, %[[TAP:.*]], %c1
// CHECK: arith.cmpi sge, %[[TAP]], %c2
// CHECK: scf.index_switch
// CHECK: case 0
// CHECK-COUNT-1: math.fma
// CHECK: case 1
// CHECK-COUNT-2: math.fma
// CHECK: default
// CHECK-COUNT-3: math.fma
// CHECK: scf.index_switch
// CHECK: case 0
// CHECK-COUNT-3: math.fma
// CHECK: case 1
// CHECK-COUNT-2: math.fma
// CHECK: default
// CHECK-COUNT-1: math.fma
// CHECK-NOT: math.fma
task.kernel @taps_of_an_edge_tile_share_code(%x: tensor<1x8x1x6xf32, #graph.blocked<c = 8>>, %w: tensor<8x8x1x5xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x6xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 3, depth = 8, unroll = 1, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 2, 0, 2>, strides = array<i64: 1, 1>} : (tensor<1x8x1x6xf32, #graph.blocked<c = 8>>, tensor<8x8x1x5xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x6xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x8x1x6xf32, #graph.blocked<c = 8>>
}

// -----

// Of a long row, few pixels are in edge tiles. The code of an edge tile with three cases of taps is
// not unrolled: each case has a loop over the channels. The inner tiles have all eight channels of a
// block unrolled.
// CHECK-LABEL: task.kernel @long_rows_have_short_edges
// CHECK: scf.index_switch
// CHECK: case 0
// CHECK: scf.for %{{.*}} = %{{.*}} to %c8
// CHECK-COUNT-1: math.fma
// CHECK: case 1
// CHECK: scf.for %{{.*}} = %{{.*}} to %c8
// CHECK-COUNT-2: math.fma
// CHECK: default
// CHECK: scf.for %{{.*}} = %{{.*}} to %c8
// CHECK-COUNT-3: math.fma
// CHECK-NOT: scf.index_switch
// CHECK-COUNT-24: math.fma
// CHECK: scf.index_switch
task.kernel @long_rows_have_short_edges(%x: tensor<1x8x1x192xf32, #graph.blocked<c = 8>>, %w: tensor<8x8x1x5xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x192xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 3, depth = 8, unroll = 8, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 2, 0, 2>, strides = array<i64: 1, 1>} : (tensor<1x8x1x192xf32, #graph.blocked<c = 8>>, tensor<8x8x1x5xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x1x192xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x8x1x192xf32, #graph.blocked<c = 8>>
}

// -----

// The code stores the sums, then one loop over both vectors applies the expensive epilogue. The ten
// pixels are two groups of five interleaved functions, so no code for remaining pixels follows.
// CHECK-LABEL: task.kernel @epilogue_in_equal_groups
// CHECK-COUNT-20: vector.store
// CHECK: scf.for %{{.*}} = %{{.*}} to %c2
// CHECK: scf.for %{{.*}} = %{{.*}} to %c2
// CHECK-COUNT-5: math.tanh
// CHECK-NOT: math.tanh
// CHECK: return
task.kernel @epilogue_in_equal_groups(%x: tensor<1x8x1x10xf32, #graph.blocked<c = 8>>, %w: tensor<16x8x1x1xf32, #kernel.conv_weights<o = 16, i = 8, transposed = false>>) -> tensor<1x16x1x10xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 2, pixels = 10, depth = 8, unroll = 1, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x1x10xf32, #graph.blocked<c = 8>>, tensor<16x8x1x1xf32, #kernel.conv_weights<o = 16, i = 8, transposed = false>>) -> tensor<1x16x1x10xf32>
  %1 = graph.unary tanh %0 : (tensor<1x16x1x10xf32>) -> tensor<1x16x1x10xf32, #graph.blocked<c = 8>>
  task.return %1 : tensor<1x16x1x10xf32, #graph.blocked<c = 8>>
}

// -----

// The last row of the result is below the input, so the single row of taps has a loop whose range
// is empty there.
// CHECK-LABEL: task.kernel @padded_below
// CHECK: %[[LOW:.*]] = arith.maxsi
// CHECK: %[[HIGH:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]]
// CHECK: math.fma
task.kernel @padded_below(%x: tensor<1x8x2x2xf32, #graph.blocked<c = 8>>, %w: tensor<8x8x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x3x2xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 2, depth = 8, unroll = 1, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 1, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x2x2xf32, #graph.blocked<c = 8>>, tensor<8x8x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false>>) -> tensor<1x8x3x2xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x8x3x2xf32, #graph.blocked<c = 8>>
}

// -----

// Three groups of four channels are one group. A panel of eight output channels reads one block of
// input channels: the first panel the whole block, the second panel the last four channels.
// CHECK-LABEL: task.kernel @joined_groups
// CHECK-SAME: memref<48xf32>, %[[W:.*]]: memref<128xf32>
// CHECK: arith.divui
// CHECK: %[[FIRST:.*]] = arith.divui
// CHECK: %[[LONGEST:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[LONGEST]] : index
// CHECK: %[[WHOLE:.*]] = arith.minsi %[[END]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[WHOLE]]
// CHECK: scf.for %{{.*}} to %c8
// CHECK-COUNT-3: math.fma
// CHECK-NOT: math.fma
// CHECK: %[[LOW:.*]] = arith.maxsi %[[FIRST]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[END]]
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[LAST]]
// CHECK: scf.for %{{.*}} to %c4
// CHECK-COUNT-3: math.fma
task.kernel @joined_groups(%x: tensor<1x12x1x3xf32, #graph.blocked<c = 8>>, %w: tensor<12x4x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false, groups = 3>>) -> tensor<1x12x1x3xf32, #graph.blocked<c = 8>> attributes {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 3, depth = 16, unroll = 1, columns = 0, rows = 1, panels = 2, fetch = 0, fetchResult = false>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 3 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x12x1x3xf32, #graph.blocked<c = 8>>, tensor<12x4x1x1xf32, #kernel.conv_weights<o = 8, i = 8, transposed = false, groups = 3>>) -> tensor<1x12x1x3xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x12x1x3xf32, #graph.blocked<c = 8>>
}
