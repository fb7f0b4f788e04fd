// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},convoy-kernels-lower-recurrent)' | FileCheck %s

// The steps run in reverse. A row has 20 columns: the panel of the last 4 columns is stored before
// the full panel, which overwrites nothing outside its row.
// CHECK-LABEL: @reverse_steps
// CHECK-SAME: %[[H:[a-z0-9]+]]: memref<40xf32>, %[[X:[a-z0-9]+]]: memref<120xf32>, %[[W:[a-z0-9]+]]: memref<640xf32>
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<120xf32>
// CHECK-SAME: range = 2 : i64
// CHECK: scf.for
// CHECK: %[[STEPS:.*]] = arith.constant 3 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[STEPS]]
// CHECK: arith.subi
// CHECK: vector.load %[[X]]
// CHECK-COUNT-4: math.fma
// CHECK: vector.store
// CHECK-COUNT-8: math.fma
// CHECK-COUNT-2: vector.store
// CHECK: vector.store {{.*}}, %[[Y]]
// CHECK: return
task.kernel @reverse_steps(%h: tensor<2x20xf32>, %x: tensor<3x2x20xf32>,
    %w: tensor<20x20xf32, #kernel.conv_weights<o = 16, i = 1, transposed = true>>) -> tensor<3x2x20xf32>
    attributes {config = #kernel.recurrent<vectors = 2, depth = 4, unroll = 1>} {
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<2x20xf32>, %p: tensor<2x20xf32>):
    %0 = graph.matmul %s, %w : (tensor<2x20xf32>, tensor<20x20xf32, #kernel.conv_weights<o = 16, i = 1, transposed = true>>) -> tensor<2x20xf32>
    %1 = graph.binary add %0, %p : (tensor<2x20xf32>, tensor<2x20xf32>) -> tensor<2x20xf32>
    graph.yield %1, %1 : tensor<2x20xf32>, tensor<2x20xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: true>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: true>} : (tensor<2x20xf32>, tensor<3x2x20xf32>) -> (tensor<2x20xf32>, tensor<3x2x20xf32>)
  task.return %r#1 : tensor<3x2x20xf32>
}

// -----

// One row: a task is a panel of the product in odd rounds, and a part of the columns in even rounds.
// The even and the odd memory of the state are 128 bytes apart.
// CHECK-LABEL: @rounds_of_two_panels
// CHECK-SAME: %[[H:[a-z0-9]+]]: memref<32xf32>, %[[X:[a-z0-9]+]]: memref<96xf32>, %[[W:[a-z0-9]+]]: memref<1024xf32>
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<96xf32>, %[[LAST:[a-z0-9]+]]: memref<32xf32>, %[[S:[a-z0-9]+]]: memref<
// CHECK-SAME: range = 16 : i64, rounds = 8 : i64
// CHECK: scf.for
// CHECK: %[[ROUND:.*]] = arith.divui
// CHECK: %[[PART:.*]] = arith.remui
// CHECK: scf.if
// CHECK: vector.load %[[H]]
// CHECK: scf.if
// CHECK: vector.store {{.*}}, %[[LAST]]
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK: %[[ODD:.*]] = arith.remui
// CHECK: %[[FAR:.*]] = arith.constant 128 : index
// CHECK: arith.muli %[[ODD]], %[[FAR]]
// CHECK: vector.load %[[X]]
// CHECK: vector.load %[[W]]
// CHECK: math.fma
// CHECK: case 1 {
// CHECK: arith.addf
// CHECK: vector.store {{.*}}, %[[Y]]
// CHECK: default {
// CHECK-NEXT: }
// CHECK: return
task.kernel @rounds_of_two_panels(%h: tensor<1x32xf32>, %x: tensor<3x1x32xf32>,
    %w: tensor<32x32xf32, #kernel.conv_weights<o = 16, i = 1, transposed = true>>)
    -> (tensor<3x1x32xf32>, tensor<1x32xf32>)
    attributes {config = #kernel.recurrent<vectors = 2, depth = 4, unroll = 1>} {
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x32xf32>, %p: tensor<1x32xf32>):
    %0 = graph.matmul %s, %w : (tensor<1x32xf32>, tensor<32x32xf32, #kernel.conv_weights<o = 16, i = 1, transposed = true>>) -> tensor<1x32xf32>
    %1 = graph.binary add %0, %p : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    graph.yield %1, %1 : tensor<1x32xf32>, tensor<1x32xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x32xf32>, tensor<3x1x32xf32>) -> (tensor<1x32xf32>, tensor<3x1x32xf32>)
  task.return %r#1, %r#0 : tensor<3x1x32xf32>, tensor<1x32xf32>
}

// -----

// Sequences of different lengths: a step after the end of both sequences has no product.
// CHECK-LABEL: @ended_sequences_have_no_product
// CHECK-SAME: %[[H:[a-z0-9]+]]: memref<64xf32>, %[[X:[a-z0-9]+]]: memref<192xf32>, %[[M:[a-z0-9]+]]: memref<6xi8>
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<192xf32>
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK-DAG: %[[A:.*]] = memref.load %[[M]]
// CHECK-DAG: %[[B:.*]] = memref.load %[[M]]
// CHECK: %[[OPEN:.*]] = arith.ori
// CHECK: scf.if %[[OPEN]] {
// CHECK: math.fma
// CHECK: case 1 {
// CHECK: %[[OPEN:.*]] = arith.ori
// CHECK: scf.if %[[OPEN]] {
// CHECK: arith.addf
// CHECK: } else {
// CHECK-NOT: arith.addf
// CHECK: vector.store {{.*}}, %[[Y]]
// CHECK: default {
task.kernel @ended_sequences_have_no_product(%h: tensor<2x32xf32>, %x: tensor<3x2x32xf32>, %m: tensor<3x2x1xi1>,
    %w: tensor<32x32xf32, #kernel.conv_weights<o = 16, i = 1, transposed = true>>) -> tensor<3x2x32xf32>
    attributes {config = #kernel.recurrent<vectors = 2, depth = 4, unroll = 2>} {
  %r:2 = graph.scan %h, %x, %m {
  ^bb0(%s: tensor<2x32xf32>, %p: tensor<2x32xf32>, %open: tensor<2x1xi1>):
    %zero = graph.constant dense<0.0> : tensor<f32>
    %0 = graph.matmul %s, %w : (tensor<2x32xf32>, tensor<32x32xf32, #kernel.conv_weights<o = 16, i = 1, transposed = true>>) -> tensor<2x32xf32>
    %1 = graph.binary add %0, %p : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x32xf32>
    %2 = graph.select %open, %1, %s : (tensor<2x1xi1>, tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x32xf32>
    %3 = graph.select %open, %1, %zero : (tensor<2x1xi1>, tensor<2x32xf32>, tensor<f32>) -> tensor<2x32xf32>
    graph.yield %2, %3 : tensor<2x32xf32>, tensor<2x32xf32>
  } {inputAxes = array<i64: 0, 0>, inputReverse = array<i1: false, false>, operandSegmentSizes = array<i32: 1, 2>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<2x32xf32>, tensor<3x2x32xf32>, tensor<3x2x1xi1>) -> (tensor<2x32xf32>, tensor<3x2x32xf32>)
  task.return %r#1 : tensor<3x2x32xf32>
}

// -----

// expected-error@+1 {{has the configuration #kernel.recurrent<vectors = 2, depth = 4, unroll = 1>, which does not fit the kernel: the kernel is not a single scan along the first axis; this is a bug in convoy's layout stage}}
task.kernel @no_scan(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {config = #kernel.recurrent<vectors = 2, depth = 4, unroll = 1>} {
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
  task.return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{has the configuration #kernel.recurrent<vectors = 2, depth = 4, unroll = 1>, which does not fit the kernel: the matrices are not in panels of the configuration; this is a bug in convoy's layout stage}}
task.kernel @planar_matrix(%h: tensor<1x32xf32>, %x: tensor<3x1x32xf32>, %w: tensor<32x32xf32>)
    -> (tensor<3x1x32xf32>, tensor<1x32xf32>)
    attributes {config = #kernel.recurrent<vectors = 2, depth = 4, unroll = 1>} {
  %r:2 = graph.scan %h, %x {
  ^bb0(%s: tensor<1x32xf32>, %p: tensor<1x32xf32>):
    %0 = graph.matmul %s, %w : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %1 = graph.binary add %0, %p : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
    graph.yield %1, %1 : tensor<1x32xf32>, tensor<1x32xf32>
  } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, operandSegmentSizes = array<i32: 1, 1>, outputAxes = array<i64: 0>, outputReverse = array<i1: false>} : (tensor<1x32xf32>, tensor<3x1x32xf32>) -> (tensor<1x32xf32>, tensor<3x1x32xf32>)
  task.return %r#1, %r#0 : tensor<3x1x32xf32>, tensor<1x32xf32>
}
