// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 vector-registers=32 dot=usdot},convoy-kernels-lower-conv-dot)' | FileCheck %s

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 16, transposed = false, offset = 0, depth = 8>

// A cell has two pixels, and eight registers hold their sums of 16 output channels. A load reads 16
// channels of a pixel, which are two steps; a register of inputs has eight channels of both pixels.
// CHECK-LABEL: @pairs_of_pixels
// CHECK: scf.for
// CHECK-COUNT-8: vector.load %arg1
// CHECK: %[[A:.*]] = vector.load %arg0
// CHECK: %[[FIRST:.*]] = vector.bitcast %[[A]]
// CHECK: %[[B:.*]] = vector.load %arg0
// CHECK: %[[SECOND:.*]] = vector.bitcast %[[B]]
// CHECK-NEXT: %[[LOW:.*]] = vector.shuffle %[[FIRST]], %[[SECOND]] [0, 1, 4, 5]
// CHECK-NEXT: %[[HIGH:.*]] = vector.shuffle %[[FIRST]], %[[SECOND]] [2, 3, 6, 7]
// CHECK-COUNT-8: kernel.matmul_bytes %{{.*}}, %[[LOW]]
// CHECK-COUNT-8: kernel.matmul_bytes %{{.*}}, %[[HIGH]]
// CHECK-NOT: kernel.matmul_bytes
// CHECK: vector.shuffle {{.*}} [0, 1, 4, 5]
// CHECK: vector.shuffle {{.*}} [2, 3, 6, 7]
// CHECK: vector.store {{.*}} : memref<128xi32>, vector<16xi32>
task.kernel @pairs_of_pixels(%x: tensor<1x32x1x8xui8, #blocked>, %w: tensor<16x32x1x1xi8, #weights>)
    -> tensor<1x16x1x8xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 1, pixels = 2, columns = 0, rows = 1, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x32x1x8xui8, #blocked>, tensor<16x32x1x1xi8, #weights>) -> tensor<1x16x1x8xi32, #blocked>
  task.return %0 : tensor<1x16x1x8xi32, #blocked>
}
