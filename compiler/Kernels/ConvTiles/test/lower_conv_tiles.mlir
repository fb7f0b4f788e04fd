// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},convoy-kernels-lower-conv-tiles)' | FileCheck %s

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 64, transposed = false, offset = 0>

// The code copies four blocks of 16 channels to one row of a tile. Two tiles of pixels are then
// multiplied by each tile of weights; sums start with the panel's corrections.
// CHECK-LABEL: @two_tiles_share_weights
// CHECK-SAME: range = 2 : i64
// CHECK: "llvm.x86.ldtilecfg"
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %arg0{{.*}} vector<16xi8>
// CHECK: vector.load %arg1
// CHECK-COUNT-2: "llvm.x86.tileloadd64"
// CHECK: scf.for
// CHECK-COUNT-2: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbusd"
// CHECK: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbusd"
// CHECK-NOT: "llvm.x86.tdpbusd"
// CHECK-COUNT-2: "llvm.x86.tilestored64"
// CHECK: vector.store {{.*}} : memref<1024xi32>, vector<16xi32>
// CHECK: "llvm.x86.tilerelease"
task.kernel @two_tiles_share_weights(%x: tensor<1x128x4x8xui8, #blocked>, %w: tensor<32x128x1x1xi8, #weights>)
    -> tensor<1x32x4x8xi32, #blocked>
    attributes {config = #kernel.conv_tiles<block = 16, tiles = 2, vectors = 1, rows = 4, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x128x4x8xui8, #blocked>, tensor<32x128x1x1xi8, #weights>) -> tensor<1x32x4x8xi32, #blocked>
  task.return %0 : tensor<1x32x4x8xi32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 64, transposed = false, offset = 131>

// The zero point is 3, and signed bytes are stored plus 128: 131 is -125 as an i8. Each tap is a
// separate product, and a layer of 24 channels has two blocks.
// CHECK-LABEL: @padding_is_the_zero_point
// CHECK: dense<-125> : vector<64xi8>
// CHECK-COUNT-2: arith.xori
// CHECK-NOT: arith.xori
// CHECK-COUNT-9: "llvm.x86.tdpbusd"
// CHECK-NOT: "llvm.x86.tdpbusd"
task.kernel @padding_is_the_zero_point(%x: tensor<1x24x4x4xi8, #blocked>, %w: tensor<16x24x3x3xi8, #weights>)
    -> tensor<1x16x4x4xi32, #blocked>
    attributes {config = #kernel.conv_tiles<block = 16, tiles = 1, vectors = 1, rows = 2, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 3 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x24x4x4xi8, #blocked>, tensor<16x24x3x3xi8, #weights>) -> tensor<1x16x4x4xi32, #blocked>
  task.return %0 : tensor<1x16x4x4xi32, #blocked>
}

// -----

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 64, transposed = false, offset = 3, ones = true>

// The zero point of the weights is -4. After the copy of a band, a product with the panel of ones
// sums the inputs of each pixel. The sums of a pixel minus -4 times this sum are its result.
// CHECK-LABEL: @inputs_are_summed_after_the_copy
// CHECK: "llvm.x86.tdpbusd"
// CHECK: "llvm.x86.tilestored64"
// CHECK: vector.store {{.*}} vector<4xi8>
// CHECK: "llvm.x86.tdpbusd"
// CHECK-NOT: "llvm.x86.tdpbusd"
// CHECK: dense<-4> : vector<16xi32>
// CHECK: %[[TERM:.*]] = arith.muli
// CHECK: arith.subi %{{.*}}, %[[TERM]]
task.kernel @inputs_are_summed_after_the_copy(%x: tensor<1x64x4x4xui8, #blocked>, %w: tensor<32x64x1x1xi8, #weights>)
    -> tensor<1x32x4x4xi32, #blocked>
    attributes {config = #kernel.conv_tiles<block = 16, tiles = 1, vectors = 1, rows = 2, panels = 2>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 3 : i64, weightZeroPoint = -4 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x64x4x4xui8, #blocked>, tensor<32x64x1x1xi8, #weights>) -> tensor<1x32x4x4xi32, #blocked>
  task.return %0 : tensor<1x32x4x4xi32, #blocked>
}
