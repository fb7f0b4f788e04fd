// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-fusion-fuse-scans,convoy-fusion-fuse-kernels,convoy-layout-choose-layouts))' | FileCheck %s

// One batch entry: the panels have 8 vectors, so that two threads have a panel each, and the matrix is
// packed for them.
// CHECK-LABEL: @one_entry
// CHECK: graph.constant {{.*}} tensor<256x256xf32, #kernel.conv_weights<o = 128, i = 1, transposed = true>>
// CHECK: graph.kernel
// CHECK: graph.scan
// CHECK: config = #kernel.recurrent<vectors = 8, depth = 4, unroll = 1>
func.func @one_entry(%h: tensor<1x256xf32>, %x: tensor<5x1x256xf32>) -> tensor<5x1x256xf32> {
  %w = graph.constant dense<2.0> : tensor<256x256xf32>
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x256xf32>, %p: tensor<1x256xf32>):
    %0 = graph.matmul %s, %w : (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32>
    %1 = graph.binary add %0, %p : (tensor<1x256xf32>, tensor<1x256xf32>) -> tensor<1x256xf32>
    graph.yield %1, %1 : tensor<1x256xf32>, tensor<1x256xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x256xf32>, tensor<5x1x256xf32>) -> (tensor<1x256xf32>, tensor<5x1x256xf32>)
  return %r#1 : tensor<5x1x256xf32>
}

// -----

// Eight batch entries are two tasks of four entries. The registers hold 4 x 6 accumulators, 6
// vectors of weights and 1 broadcast factor; the matrix has only 3 vectors of columns.
// CHECK-LABEL: @tasks_of_four_entries
// CHECK: config = #kernel.recurrent<vectors = 3, depth = 4, unroll = 4>
func.func @tasks_of_four_entries(%h: tensor<8x40xf32>, %x: tensor<5x8x40xf32>) -> tensor<5x8x40xf32> {
  %w = graph.constant dense<2.0> : tensor<40x40xf32>
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<8x40xf32>, %p: tensor<8x40xf32>):
    %0 = graph.matmul %s, %w : (tensor<8x40xf32>, tensor<40x40xf32>) -> tensor<8x40xf32>
    %1 = graph.binary add %0, %p : (tensor<8x40xf32>, tensor<8x40xf32>) -> tensor<8x40xf32>
    graph.yield %1, %1 : tensor<8x40xf32>, tensor<8x40xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<8x40xf32>, tensor<5x8x40xf32>) -> (tensor<8x40xf32>, tensor<5x8x40xf32>)
  return %r#1 : tensor<5x8x40xf32>
}

// -----

// A constant of one element is inside the kernel and not in memory, so the template refuses it.
// CHECK-LABEL: @constant_state
// CHECK: graph.scan
// CHECK-NOT: #kernel.recurrent
// CHECK: return
func.func @constant_state(%x: tensor<5x1x1xf32>) -> tensor<5x1x1xf32> {
  %h = graph.constant dense<0.5> : tensor<1x1xf32>
  %w = graph.constant dense<2.0> : tensor<1x1xf32>
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x1xf32>, %p: tensor<1x1xf32>):
    %0 = graph.matmul %s, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %1 = graph.binary add %0, %p : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    graph.yield %1, %1 : tensor<1x1xf32>, tensor<1x1xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x1xf32>, tensor<5x1x1xf32>) -> (tensor<1x1xf32>, tensor<5x1x1xf32>)
  return %r#1 : tensor<5x1x1xf32>
}
