// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 vector-registers=32 dot=sdot},convoy-kernels-lower-depthwise)' | FileCheck %s

#blocked = #graph.blocked<c = 16>
#weights = #kernel.conv_weights<o = 16, i = 1, transposed = false>

// On Arm, bytes minus their zero points are words, and the products of words are i32.
// CHECK-LABEL: @words
// CHECK: arith.extui {{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: arith.subi {{.*}} : vector<16xi16>
// CHECK: %[[X:.*]] = arith.extsi {{.*}} : vector<16xi16> to vector<16xi32>
// CHECK-NEXT: %[[W:.*]] = arith.extsi {{.*}} : vector<16xi16> to vector<16xi32>
// CHECK-NEXT: arith.muli %[[X]], %[[W]] : vector<16xi32>
task.kernel @words(%x: tensor<1x16x4x4xui8, #blocked>, %w: tensor<16x1x1x3xi8, #weights>)
    -> tensor<1x16x4x2xi32, #blocked>
    attributes {config = #kernel.depthwise<block = 16, pixels = 2, held = 1, rows = 4>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 3 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 16 : i64}
      : (tensor<1x16x4x4xui8, #blocked>, tensor<16x1x1x3xi8, #weights>) -> tensor<1x16x4x2xi32, #blocked>
  task.return %0 : tensor<1x16x4x2xi32, #blocked>
}
