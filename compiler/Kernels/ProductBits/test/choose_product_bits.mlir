// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=HALF
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=STRICT
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=BYTES
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=4 vector-registers=8},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=LOOPS

// LOOPS-NOT: #kernel.product_bits

// One row converts the weights in registers, and multiplies bytes if the target has dot products. The weights stay packed; scales and zero points are in
// the order of the panels. Strict math rounds each weight as dequantize_linear does.
// CHECK-LABEL: func @one_row
// CHECK-DAG: tensor<128x160xui4, #kernel.bit_weights<o = 64, bits = 4, block = 32>>
// CHECK-DAG: tensor<4x160xf32, #kernel.conv_weights<o = 64, i = 1, transposed = true>>
// CHECK-DAG: tensor<4x160xui4, #kernel.conv_weights<o = 64, i = 1, transposed = true>>
// CHECK: config = #kernel.product_bits<lanes = 16, vectors = 4, rows = 1, depth = 0,
// HALF-LABEL: func @one_row
// HALF: config = #kernel.product_bits<lanes = 8, vectors = 4, rows = 1, depth = 0,
// BYTES-LABEL: func @one_row
// BYTES: config = #kernel.product_bits<lanes = 16, vectors = 4, rows = 1, depth = 0, bytes = 3,
// STRICT-LABEL: func @one_row
// STRICT: config = #kernel.product_bits<lanes = 16, vectors = 4, rows = 1, depth = 128,
func.func @one_row(%x: tensor<1x128xf32>) -> tensor<1x160xf32> {
  %w = graph.constant dense<5> : tensor<128x160xui4>
  %s = graph.constant dense<0.5> : tensor<4x160xf32>
  %z = graph.constant dense<3> : tensor<4x160xui4>
  %0 = graph.kernel %x, %w, %s, %z {
  ^bb0(%a: tensor<1x128xf32>, %b: tensor<128x160xui4>, %c: tensor<4x160xf32>, %d: tensor<4x160xui4>):
    %1 = graph.dequantize_linear %b, %c, %d {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<128x160xui4>, tensor<4x160xf32>, tensor<4x160xui4>) -> tensor<128x160xf32>
    %2 = graph.matmul %a, %1 : (tensor<1x128xf32>, tensor<128x160xf32>) -> tensor<1x160xf32>
    graph.yield %2 : tensor<1x160xf32>
  } : (tensor<1x128xf32>, tensor<128x160xui4>, tensor<4x160xf32>, tensor<4x160xui4>) -> tensor<1x160xf32>
  return %0 : tensor<1x160xf32>
}

// Many rows share a panel that is converted once.
// CHECK-LABEL: func @many_rows
// CHECK: tensor<128x160xi4, #kernel.bit_weights<o = 64, bits = 4, block = 32>>
// CHECK: config = #kernel.product_bits<lanes = 16, vectors = 4, rows = 6, depth = 128,
// HALF-LABEL: func @many_rows
// HALF: config = #kernel.product_bits<lanes = 8, vectors = 2, rows = 6, depth = 128,
func.func @many_rows(%x: tensor<60x128xf32>) -> tensor<60x160xf32> {
  %w = graph.constant dense<5> : tensor<128x160xi4>
  %s = graph.constant dense<0.5> : tensor<4x160xf32>
  %0 = graph.kernel %x, %w, %s {
  ^bb0(%a: tensor<60x128xf32>, %b: tensor<128x160xi4>, %c: tensor<4x160xf32>):
    %1 = graph.dequantize_linear %b, %c {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<128x160xi4>, tensor<4x160xf32>) -> tensor<128x160xf32>
    %2 = graph.matmul %a, %1 : (tensor<60x128xf32>, tensor<128x160xf32>) -> tensor<60x160xf32>
    graph.yield %2 : tensor<60x160xf32>
  } : (tensor<60x128xf32>, tensor<128x160xi4>, tensor<4x160xf32>) -> tensor<60x160xf32>
  return %0 : tensor<60x160xf32>
}

// One block is not longer than the depth in whole words, so its padding stays small.
// CHECK-LABEL: func @one_block
// CHECK: tensor<20x16xi4, #kernel.bit_weights<o = 16, bits = 4, block = 24>>
func.func @one_block(%x: tensor<1x20xf32>) -> tensor<1x16xf32> {
  %w = graph.constant dense<5> : tensor<20x16xi4>
  %s = graph.constant dense<0.5> : tensor<1x16xf32>
  %0 = graph.kernel %x, %w, %s {
  ^bb0(%a: tensor<1x20xf32>, %b: tensor<20x16xi4>, %c: tensor<1x16xf32>):
    %1 = graph.dequantize_linear %b, %c {to = f32, axis = 0 : i64, blockSize = 1048576 : i64} : (tensor<20x16xi4>, tensor<1x16xf32>) -> tensor<20x16xf32>
    %2 = graph.matmul %a, %1 : (tensor<1x20xf32>, tensor<20x16xf32>) -> tensor<1x16xf32>
    graph.yield %2 : tensor<1x16xf32>
  } : (tensor<1x20xf32>, tensor<20x16xi4>, tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}

// The layout packs the matrix when the model is compiled, so the matrix must be constant.
// CHECK-LABEL: func @computed_scales
// CHECK-NOT: #kernel.product_bits
func.func @computed_scales(%x: tensor<1x32xf32>, %s: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %w = graph.constant dense<5> : tensor<32x16xi4>
  %0 = graph.kernel %x, %w, %s {
  ^bb0(%a: tensor<1x32xf32>, %b: tensor<32x16xi4>, %c: tensor<1x16xf32>):
    %1 = graph.dequantize_linear %b, %c {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<32x16xi4>, tensor<1x16xf32>) -> tensor<32x16xf32>
    %2 = graph.matmul %a, %1 : (tensor<1x32xf32>, tensor<32x16xf32>) -> tensor<1x16xf32>
    graph.yield %2 : tensor<1x16xf32>
  } : (tensor<1x32xf32>, tensor<32x16xi4>, tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
