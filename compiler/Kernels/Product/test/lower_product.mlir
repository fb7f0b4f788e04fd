// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16},convoy-kernels-lower-product)' | FileCheck %s

// Six matrices and two row tiles of 3 and 2 rows. Two panels are packed once for both tiles: four
// loads along the depth, eight shuffles and four stores per vector. A tile has 3 x 2 accumulators and stores
// them after the epilogue.
// CHECK-LABEL: @heads
// CHECK-SAME: joint = 2 : i64
// CHECK-SAME: range = 12 : i64
// CHECK-SAME: scratch = 1280 : i64
// CHECK: %[[PANEL:.*]] = memref.view %arg3
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %arg1
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store {{.*}} %[[PANEL]]
// CHECK: scf.for
// CHECK-COUNT-4: vector.store {{.*}} %[[PANEL]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: vector.load %[[PANEL]]
// CHECK-COUNT-3: memref.load %arg0
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK-COUNT-6: vector.store {{.*}} %arg2
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: vector.load %[[PANEL]]
// CHECK-COUNT-2: memref.load %arg0
// CHECK: scf.yield
// CHECK-COUNT-4: vector.store {{.*}} %arg2
task.kernel @heads(%q: tensor<2x5x3x20xf32>, %k: tensor<2x16x3x20xf32>) -> tensor<2x3x5x16xf32>
    attributes {config = #kernel.product<rows = 4, vectors = 2, depth = 20, columns = 64, unroll = 1, pack = 1>} {
  %0 = graph.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x3x20xf32>) -> tensor<2x3x5x20xf32>
  %1 = graph.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x16x3x20xf32>) -> tensor<2x3x20x16xf32>
  %2 = graph.matmul %0, %1 : (tensor<2x3x5x20xf32>, tensor<2x3x20x16xf32>) -> tensor<2x3x5x16xf32>
  %3 = graph.unary relu %2 : (tensor<2x3x5x16xf32>) -> tensor<2x3x5x16xf32>
  task.return %3 : tensor<2x3x5x16xf32>
}

// -----

// Seven columns are a panel of two vectors; the second vector overlaps the first. The right factor
// is read in place, so the kernel has no scratch memory.
// CHECK-LABEL: @overlapping_columns
// CHECK-SAME: range = 1 : i64
// CHECK-NOT: scratch
// CHECK: scf.for
// CHECK-COUNT-2: vector.load %arg1
// CHECK: scf.yield
// CHECK: vector.store {{.*}} %arg2
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[LAST:.*]] = arith.addi {{.*}} %[[C3]]
// CHECK: vector.store {{.*}} %arg2[%[[LAST]]]
task.kernel @overlapping_columns(%x: tensor<1x6xf32>, %y: tensor<6x7xf32>) -> tensor<1x7xf32>
    attributes {config = #kernel.product<rows = 1, vectors = 2, depth = 6, columns = 8, unroll = 1, pack = 0>} {
  %0 = graph.matmul %x, %y : (tensor<1x6xf32>, tensor<6x7xf32>) -> tensor<1x7xf32>
  task.return %0 : tensor<1x7xf32>
}

// -----

// The result is stored transposed, so lanes run along the rows of the product: the elements of the
// second operand are broadcast.
// CHECK-LABEL: @transposed_result
// CHECK: scf.for
// CHECK: vector.load %arg0
// CHECK-COUNT-4: memref.load %arg1
// CHECK: scf.yield
// CHECK-COUNT-4: vector.store {{.*}} %arg2
task.kernel @transposed_result(%x: tensor<6x8xf32>, %y: tensor<6x4xf32>) -> tensor<4x8xf32>
    attributes {config = #kernel.product<rows = 4, vectors = 2, depth = 6, columns = 8, unroll = 1, pack = 0>} {
  %0 = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %1 = graph.matmul %0, %y : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %2 = graph.transpose %1 {perm = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  task.return %2 : tensor<4x8xf32>
}

// -----

// The second pass continues the sums of the first pass, which are in the result.
// CHECK-LABEL: @two_passes
// CHECK: scf.for
// CHECK: scf.if
// CHECK: } else {
// CHECK: vector.load %arg2
// CHECK: scf.if
// CHECK: vector.store {{.*}} %arg2
// CHECK: } else {
// CHECK: vector.store {{.*}} %arg2
task.kernel @two_passes(%x: tensor<2x6xf32>, %y: tensor<6x4xf32>) -> tensor<2x4xf32>
    attributes {config = #kernel.product<rows = 2, vectors = 1, depth = 3, columns = 4, unroll = 1, pack = 0>} {
  %0 = graph.matmul %x, %y : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  task.return %0 : tensor<2x4xf32>
}

// -----

// The sums are f32; loads of f16 widen and the store narrows.
// CHECK-LABEL: @half
// CHECK: arith.extf {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: math.fma {{.*}} : vector<4xf32>
// CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xf16>
task.kernel @half(%x: tensor<2x6xf16>, %y: tensor<6x4xf16>) -> tensor<2x4xf16>
    attributes {config = #kernel.product<rows = 2, vectors = 1, depth = 6, columns = 4, unroll = 1, pack = 1>} {
  %0 = graph.matmul %x, %y : (tensor<2x6xf16>, tensor<6x4xf16>) -> tensor<2x4xf16>
  task.return %0 : tensor<2x4xf16>
}
