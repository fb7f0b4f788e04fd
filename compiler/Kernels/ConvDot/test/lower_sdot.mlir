// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 vector-registers=32 dot=sdot},convoy-kernels-lower-conv-dot)' | FileCheck %s

// Dot products have four lanes, so a module that multiplies bytes joins each four registers.
// CHECK: #kernel.machine<vectorBytes = 64, vectorRegisters = 8

#blocked = #graph.blocked<c = 16>
#weights = #kernel.dot_weights<o = 16, i = 16, transposed = false, offset = -128>

// One load reads 16 channels of a pixel, which are four steps, and flips their highest bits. Each
// step multiplies a lane of it with the weights of 16 output channels, in four registers.
// CHECK-LABEL: @lanes_of_a_pixel
// CHECK: scf.for
// CHECK: %[[BYTES:.*]] = vector.load %arg0{{.*}} vector<16xi8>
// CHECK-NEXT: %[[X:.*]] = vector.bitcast %[[BYTES]] : vector<16xi8> to vector<4xi32>
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[X]]
// CHECK: %[[LANE:.*]] = vector.extract %[[FLIPPED]][0]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[LANE]] : i32 to vector<4xi32>
// CHECK-COUNT-4: kernel.dot_bytes sdot ss %{{.*}}, %[[SPREAD]]
// CHECK: vector.extract %[[FLIPPED]][1]
// CHECK-COUNT-12: kernel.dot_bytes sdot ss
// CHECK-NOT: kernel.dot_bytes
// CHECK: vector.store {{.*}} : memref<128xi32>, vector<16xi32>
task.kernel @lanes_of_a_pixel(%x: tensor<1x32x1x8xui8, #blocked>, %w: tensor<16x32x1x1xi8, #weights>)
    -> tensor<1x16x1x8xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 16, vectors = 1, pixels = 1, columns = 0, rows = 1, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x32x1x8xui8, #blocked>, tensor<16x32x1x1xi8, #weights>) -> tensor<1x16x1x8xi32, #blocked>
  task.return %0 : tensor<1x16x1x8xi32, #blocked>
}
