// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-lower-templates)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-lower-depthwise)' | FileCheck %s --check-prefix=DEPTHWISE
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-lower-conv-direct)' | FileCheck %s --check-prefix=OTHER

#blocked = #graph.blocked<c = 8>
#weights = #kernel.conv_weights<o = 8, i = 1, transposed = false>

// The pass lowers kernels of all templates; an instance lowers only the kernels of its template.
// CHECK-LABEL: @depthwise
// CHECK-SAME: memref<4608xf32>
// DEPTHWISE-LABEL: @depthwise
// DEPTHWISE-SAME: memref<4608xf32>
// OTHER-LABEL: @depthwise
// OTHER-SAME: tensor<1x32x12x12xf32
task.kernel @depthwise(%x: tensor<1x32x12x12xf32, #blocked>, %w: tensor<32x1x3x3xf32, #weights>)
    -> tensor<1x32x12x12xf32, #blocked>
    attributes {config = #kernel.depthwise<block = 8, pixels = 5, held = 1, rows = 12>} {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 32 : i64}
      : (tensor<1x32x12x12xf32, #blocked>, tensor<32x1x3x3xf32, #weights>) -> tensor<1x32x12x12xf32, #blocked>
  task.return %0 : tensor<1x32x12x12xf32, #blocked>
}

// A kernel without a configuration stays for the generic loops.
// CHECK-LABEL: @generic
// CHECK-SAME: tensor<8xf32>
task.kernel @generic(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.unary relu %x : (tensor<8xf32>) -> tensor<8xf32>
  task.return %0 : tensor<8xf32>
}
