// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes tiles=true},convoy-kernels-lower-product-bytes)' | FileCheck %s

#weights = #kernel.byte_weights<o = 16, i = 64>

// Two tiles of rows share each tile of weights. The code first copies the rows and sums their
// bytes. After the products it corrects the sums and applies the epilogue.
// CHECK-LABEL: @two_tiles_share_weights
// CHECK-SAME: range = 1 : i64
// CHECK: "llvm.x86.ldtilecfg"
// CHECK: vector.load %arg0{{.*}} vector<64xi8>
// CHECK: kernel.dot_bytes bytes us
// CHECK: vector.reduction <add>
// CHECK-COUNT-2: "llvm.x86.tilezero"
// CHECK: scf.for
// CHECK-COUNT-2: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbusd"
// CHECK: "llvm.x86.tileloadd64"
// CHECK: "llvm.x86.tdpbusd"
// CHECK-COUNT-2: "llvm.x86.tilestored64"
// CHECK: arith.muli
// CHECK: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: arith.mulf
// CHECK: vector.store {{.*}} : memref<1024xf32>, vector<16xf32>
// CHECK: "llvm.x86.tilerelease"
task.kernel @two_tiles_share_weights(%x: tensor<32x128xui8>, %w: tensor<128x32xi8, #weights>, %zx: tensor<ui8>, %zw: tensor<i8>, %s: tensor<f32>)
    -> tensor<32x32xf32>
    attributes {config = #kernel.product_bytes<block = 16, tiles = 2, height = 32, vectors = 1, rows = 32, panels = 2>} {
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<32x128xui8>, tensor<128x32xi8, #weights>, tensor<ui8>, tensor<i8>) -> tensor<32x32xi32>
  %1 = graph.cast %0 {to = f32} : (tensor<32x32xi32>) -> tensor<32x32xf32>
  %2 = graph.binary mul %1, %s : (tensor<32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
  task.return %2 : tensor<32x32xf32>
}

// -----

#weights = #kernel.byte_weights<o = 16, i = 4>

// Signed bytes of the left side are copied plus 128. The last two columns of 18 are one vector of
// two. The last three bytes of a row are copied as two and one.
// CHECK-LABEL: @odd_sizes
// CHECK-SAME: range = 2 : i64
// CHECK: dense<-128> : vector<64xi8>
// CHECK: vector.load %arg0{{.*}} vector<2xi8>
// CHECK: vector.load %arg0{{.*}} vector<1xi8>
// CHECK-COUNT-4: kernel.dot_bytes bytes us
// CHECK: vector.store {{.*}} : memref<90xi32>, vector<16xi32>
// CHECK: vector.store {{.*}} : memref<90xi32>, vector<2xi32>
task.kernel @odd_sizes(%x: tensor<5x67xi8>, %w: tensor<67x18xui8, #weights>, %zx: tensor<5x1xi8>, %zw: tensor<1x18xui8>)
    -> tensor<5x18xi32>
    attributes {config = #kernel.product_bytes<block = 16, tiles = 0, height = 2, vectors = 2, rows = 4, panels = 2>} {
  %0 = graph.byte_matmul %x, %w, %zx, %zw : (tensor<5x67xi8>, tensor<67x18xui8, #weights>, tensor<5x1xi8>, tensor<1x18xui8>) -> tensor<5x18xi32>
  task.return %0 : tensor<5x18xi32>
}
