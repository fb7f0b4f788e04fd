// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 dot=sdot},convoy-kernels-lower-conv-dot)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 dot=usdot},convoy-kernels-lower-conv-dot)' | FileCheck %s --check-prefix=USDOT

#blocked = #graph.blocked<c = 4>
#weights = #kernel.dot_weights<o = 8, i = 4, transposed = false, offset = -125>

// SDOT multiplies signed bytes: the load flips the highest bits of unsigned inputs (0x80808080 is
// -2139062144), and a tap outside of the input multiplies 3 - 128 = 0x83 in every byte. USDOT
// multiplies unsigned inputs as they are.
// CHECK-LABEL: @unsigned_inputs_are_flipped
// CHECK: kernel.dot_bytes sdot ss
// CHECK: dense<-2139062144>
// CHECK: arith.xori
// CHECK: kernel.dot_bytes sdot ss
// CHECK-NOT: kernel.dot_bytes usdot
// USDOT-LABEL: @unsigned_inputs_are_flipped
// USDOT-NOT: arith.xori
// USDOT: kernel.dot_bytes usdot us
// USDOT-NOT: arith.xori
task.kernel @unsigned_inputs_are_flipped(%x: tensor<1x4x4x8xui8, #blocked>, %w: tensor<8x4x3x3xi8, #weights>)
    -> tensor<1x8x4x8xi32, #blocked>
    attributes {config = #kernel.conv_dot<block = 4, vectors = 2, pixels = 4, columns = 0, rows = 1, panels = 1>} {
  %0 = graph.integer_conv %x, %w {inputZeroPoint = 3 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x4x4x8xui8, #blocked>, tensor<8x4x3x3xi8, #weights>) -> tensor<1x8x4x8xi32, #blocked>
  task.return %0 : tensor<1x8x4x8xi32, #blocked>
}
