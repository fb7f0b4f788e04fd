// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},convoy-kernels-lower-pool-pixels)' | FileCheck %s

// Each of six planes is a task. Shuffles separate even and odd columns, so the four taps of 2 x 2
// at stride 2 are four contiguous loads. Padding has the lowest value.
// CHECK-LABEL: @planes_are_tasks
// CHECK-SAME: range = 6 : i64
// CHECK: 0xFF800000
// CHECK-COUNT-2: vector.shuffle {{.*}} [0, 2, 4, 6]
// CHECK-COUNT-4: vector.load {{.*}} vector<16xf32>
// CHECK-NOT: vector.load {{.*}} vector<16xf32>
// CHECK: vector.store {{.*}}, %arg1{{.*}} vector<4xf32>
// CHECK: return
task.kernel @planes_are_tasks(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
    attributes {config = #kernel.pool_pixels<lanes = 16, rows = 4>} {
  %r:2 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, columnMajor = false}
      : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  task.return %r#0 : tensor<2x3x4x4xf32>
}
