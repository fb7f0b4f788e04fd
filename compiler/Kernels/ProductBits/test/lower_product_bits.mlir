// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes},convoy-kernels-lower-product-bits)' | FileCheck %s --implicit-check-not=memref.prefetch
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes second-cache-bytes=256},convoy-kernels-lower-product-bits)' | FileCheck %s --check-prefix=FETCH

#weights = #kernel.bit_weights<o = 32, bits = 4, block = 32>
#blocks = #kernel.conv_weights<o = 32, i = 1, transposed = true>

// Weights that exceed the second-level cache are prefetched if they are converted in registers, one
// cache line per vector.
// FETCH-LABEL: @one_row
// FETCH-COUNT-2: memref.prefetch %arg1[%{{.*}}], read, locality<3>, data : memref<2048xi8>
// FETCH-LABEL: @many_rows
// FETCH-NOT: memref.prefetch
// FETCH-LABEL: @bytes
// FETCH-COUNT-1: memref.prefetch
// FETCH-NOT: memref.prefetch

// The row is copied and divided by the powers of two of the weights in a word. A word of 16 columns
// gives 8 weights per column; only the last one is shifted. The sum of a block starts with the zero
// points and is scaled once.
// CHECK-LABEL: @one_row
// CHECK-SAME: range = 2 : i64
// CHECK: dense<[1.000000e+00, 6.250000e-02, 3.906250e-03,
// CHECK: vector.load %arg0{{.*}} vector<8xf32>
// CHECK: arith.uitofp {{.*}} : vector<16xi8> to vector<16xf32>
// CHECK: vector.load %arg1{{.*}} vector<64xi8>
// CHECK: vector.bitcast {{.*}} : vector<64xi8> to vector<16xi32>
// CHECK: arith.andi
// CHECK: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: math.fma
// CHECK: arith.shrui
// CHECK: vector.load %arg2
// The last panel has eight columns.
// CHECK: scf.if
// CHECK: vector.store {{.*}} : memref<40xf32>, vector<8xf32>
// CHECK: else
// CHECK-COUNT-2: vector.store {{.*}} : memref<40xf32>, vector<16xf32>
task.kernel @one_row(%x: tensor<1x64xf32>, %w: tensor<64x40xui4, #weights>, %s: tensor<2x40xf32, #blocks>, %z: tensor<2x40xui4, #blocks>)
    -> tensor<1x40xf32>
    attributes {config = #kernel.product_bits<lanes = 16, vectors = 2, rows = 1, depth = 0, bytes = 0, panels = 1>} {
  %0 = graph.dequantize_linear %w, %s, %z {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x40xui4, #weights>, tensor<2x40xf32, #blocks>, tensor<2x40xui4, #blocks>) -> tensor<64x40xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x64xf32>, tensor<64x40xf32>) -> tensor<1x40xf32>
  task.return %1 : tensor<1x40xf32>
}

// -----

#weights = #kernel.bit_weights<o = 16, bits = 8, block = 32>
#blocks = #kernel.conv_weights<o = 16, i = 1, transposed = true>

// Two passes over the depth convert a block each: shift, mask, subtract the middle of the range and
// multiply by the scale, as dequantize_linear rounds. The sums of all rows are in scratch memory
// between the passes. Seven rows are a tile of four and one of three.
// CHECK-LABEL: @many_rows
// CHECK-SAME: range = 1 : i64
// CHECK: dense<1.280000e+02>
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: math.fma
// CHECK: arith.addf {{.*}} : vector<16xf32>
task.kernel @many_rows(%x: tensor<7x64xf32>, %w: tensor<64x16xi8, #weights>, %s: tensor<2x16xf32, #blocks>, %bias: tensor<16xf32>)
    -> tensor<7x16xf32>
    attributes {config = #kernel.product_bits<lanes = 16, vectors = 1, rows = 4, depth = 32, bytes = 0, panels = 1>} {
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x16xi8, #weights>, tensor<2x16xf32, #blocks>) -> tensor<64x16xf32>
  %1 = graph.matmul %x, %0 : (tensor<7x64xf32>, tensor<64x16xf32>) -> tensor<7x16xf32>
  %2 = graph.binary add %1, %bias : (tensor<7x16xf32>, tensor<16xf32>) -> tensor<7x16xf32>
  task.return %2 : tensor<7x16xf32>
}

// -----

#weights = #kernel.bit_weights<o = 16, bits = 4, block = 32>
#blocks = #kernel.conv_weights<o = 16, i = 1, transposed = true>

// The largest input of a block becomes 127 * 65536. The integers are stored as three bytes; the bytes
// of the even and of the odd weights of a word are adjacent. A block starts with the middle of the
// range times the sums of the bytes. Eight weights of 16 columns take six dot products.
// CHECK-LABEL: @bytes
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: 0x4AFE0000
// CHECK: math.roundeven
// CHECK: arith.fptosi {{.*}} : vector<8xf32> to vector<8xi32>
// CHECK-COUNT-3: vector.shuffle {{.*}} [0, 2, 4, 6, 1, 3, 5, 7] : vector<8xi8>
// CHECK: dense<252645135> : vector<16xi32>
// CHECK-COUNT-3: kernel.dot_bytes bytes us
// CHECK: arith.shrui
// CHECK-COUNT-3: kernel.dot_bytes bytes us
// CHECK: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: math.fma
task.kernel @bytes(%x: tensor<1x64xf32>, %w: tensor<64x16xi4, #weights>, %s: tensor<2x16xf32, #blocks>)
    -> tensor<1x16xf32>
    attributes {config = #kernel.product_bits<lanes = 16, vectors = 1, rows = 1, depth = 0, bytes = 3, panels = 1>} {
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x16xi4, #weights>, tensor<2x16xf32, #blocks>) -> tensor<64x16xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x64xf32>, tensor<64x16xf32>) -> tensor<1x16xf32>
  task.return %1 : tensor<1x16xf32>
}
