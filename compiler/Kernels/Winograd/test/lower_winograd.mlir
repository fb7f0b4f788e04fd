// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16},convoy-kernels-lower-winograd)' | FileCheck %s

// 36 frequencies of 4 tiles. Input and products are in scratch memory; each plane of 2 x 16
// elements is padded to three cache lines.
// CHECK-LABEL: @four_tiles
// CHECK-SAME: (%[[X:.*]]: memref<512xf32>, %[[W:.*]]: memref<2304xf32>, %[[B:.*]]: memref<8xf32>, %[[Y:.*]]: memref<512xf32>, %[[S:.*]]: memref<13824xi8>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: attributes {{.*}}range = 1 : i64, {{.*}}scratch = 13824 : i64
// CHECK-DAG: %[[V:.*]] = memref.view %[[S]]{{.*}} to memref<1728xf32>
// CHECK-DAG: %[[M:.*]] = memref.view %[[S]]{{.*}} to memref<1728xf32>
// Tiles at the edge are padded with zeros.
// CHECK: scf.if
// CHECK: vector.load %[[X]]
// CHECK: vector.store {{.*}} %[[V]]
// CHECK: } else {
// CHECK: vector.load %[[X]]
// CHECK: vector.store {{.*}} %[[V]]
// Eight accumulators over all channels, without partial sums.
// CHECK: iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK: vector.load %[[W]]
// CHECK: memref.prefetch %[[W]]
// CHECK: memref.load %{{.*}} : memref<1728xf32>
// CHECK: math.fma
// CHECK: vector.store {{.*}} : memref<1728xf32>
// The epilogue runs before the only store.
// CHECK: vector.load %[[B]]
// CHECK: arith.addf
// CHECK: arith.cmpf olt
// CHECK: arith.select
// CHECK: vector.store {{.*}} %[[Y]]
task.kernel @four_tiles(%x: tensor<1x8x8x8xf32, #graph.blocked<c = 4>>, %w: tensor<8x8x3x3xf32, #kernel.winograd_weights<tile = 4, o = 8, panels = 1>>, %b: tensor<8xf32, #graph.blocked<c = 4>>)
    -> tensor<1x8x8x8xf32, #graph.blocked<c = 4>> attributes {config = #kernel.winograd<block = 4, tile = 4, vectors = 2, pixels = 4, groups = 1, panels = 1, depth = 8, unroll = 4>} {
  %0 = graph.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x8x8x8xf32, #graph.blocked<c = 4>>, tensor<8x8x3x3xf32, #kernel.winograd_weights<tile = 4, o = 8, panels = 1>>, tensor<8xf32, #graph.blocked<c = 4>>) -> tensor<1x8x8x8xf32>
  %1 = graph.unary relu %0 : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32, #graph.blocked<c = 4>>
  task.return %1 : tensor<1x8x8x8xf32, #graph.blocked<c = 4>>
}

// -----

// Nine tiles are a group of five and a group of four, each with two chunks of output channels. Only
// the first task of a range or of a group transforms input.
// CHECK-LABEL: @chunks_share_input
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index) attributes {{.*}}joint = 2 : i64, {{.*}}range = 4 : i64
// CHECK: scf.for %[[TASK:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TASK]], %[[BEGIN]]
// CHECK: %[[ANY:.*]] = arith.ori %{{.*}}, %[[FIRST]]
// CHECK: scf.if %[[ANY]]
task.kernel @chunks_share_input(%x: tensor<1x4x5x5xf32, #graph.blocked<c = 4>>, %w: tensor<8x4x3x3xf32, #kernel.winograd_weights<tile = 2, o = 4, panels = 1>>)
    -> tensor<1x8x5x5xf32, #graph.blocked<c = 4>> attributes {config = #kernel.winograd<block = 4, tile = 2, vectors = 1, pixels = 5, groups = 1, panels = 1, depth = 4, unroll = 4>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x4x5x5xf32, #graph.blocked<c = 4>>, tensor<8x4x3x3xf32, #kernel.winograd_weights<tile = 2, o = 4, panels = 1>>) -> tensor<1x8x5x5xf32, #graph.blocked<c = 4>>
  task.return %0 : tensor<1x8x5x5xf32, #graph.blocked<c = 4>>
}

// -----

// expected-error@+1 {{which does not fit the kernel: the kernel is not a 3 x 3 convolution at stride 1, or the tile size is not supported; this is a bug in convoy's layout stage}}
task.kernel @stride_two(%x: tensor<1x4x5x5xf32, #graph.blocked<c = 4>>, %w: tensor<4x4x3x3xf32, #kernel.winograd_weights<tile = 2, o = 4, panels = 1>>)
    -> tensor<1x4x3x3xf32, #graph.blocked<c = 4>> attributes {config = #kernel.winograd<block = 4, tile = 2, vectors = 1, pixels = 5, groups = 1, panels = 1, depth = 4, unroll = 4>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x4x5x5xf32, #graph.blocked<c = 4>>, tensor<4x4x3x3xf32, #kernel.winograd_weights<tile = 2, o = 4, panels = 1>>) -> tensor<1x4x3x3xf32, #graph.blocked<c = 4>>
  task.return %0 : tensor<1x4x3x3xf32, #graph.blocked<c = 4>>
}
