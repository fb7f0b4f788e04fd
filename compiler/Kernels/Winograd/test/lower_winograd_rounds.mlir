// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=256},convoy-kernels-lower-winograd)' | FileCheck %s

// A layer with few tasks on a machine with long vectors: rounds for the input tiles, for the products
// and for the result tiles. All tasks share the transformed input of the 4 tiles and the products of
// both chunks.
// CHECK-LABEL: @rounds
// CHECK-SAME: range = 168 : i64, rounds = 3 : i64
// CHECK: scf.for %[[TASK:.*]] =
// CHECK: arith.remui %[[TASK]], %{{.*}}
// CHECK: arith.divui %[[TASK]], %{{.*}}
// CHECK: scf.if
// CHECK: vector.load %{{.*}} : memref<4096xf32>
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (vector<64xf32>, vector<64xf32>)
// CHECK: scf.if
// CHECK: vector.store {{.*}} : memref<8192xf32>
task.kernel @rounds(%x: tensor<1x64x8x8xf32, #graph.blocked<c = 64>>, %w: tensor<128x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 64, panels = 1>>)
    -> tensor<1x128x8x8xf32, #graph.blocked<c = 64>> attributes {config = #kernel.winograd<block = 64, tile = 4, vectors = 1, pixels = 2, groups = 1, panels = 1, depth = 64, unroll = 4>} {
  %0 = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x8x8xf32, #graph.blocked<c = 64>>, tensor<128x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 64, panels = 1>>) -> tensor<1x128x8x8xf32, #graph.blocked<c = 64>>
  task.return %0 : tensor<1x128x8x8xf32, #graph.blocked<c = 64>>
}
