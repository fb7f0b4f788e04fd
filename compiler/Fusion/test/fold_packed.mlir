// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},func.func(convoy-fusion-fold-packed))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=4},func.func(convoy-fusion-fold-packed))' | FileCheck %s --check-prefix=SHORT
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},func.func(convoy-fusion-fold-packed,convoy-fusion-fuse-kernels))' | FileCheck %s --check-prefix=FUSED

// Without vectors, no template reads packed matrices.
// SHORT-NOT: graph.dequantize_linear

// Each product has a dequantize_linear of its own, so that each becomes a kernel with the packed
// constants as operands.
// CHECK-LABEL: @two_readers
// CHECK: %[[A:.*]] = graph.dequantize_linear %[[W:.*]], %[[S:[^ ]*]]
// CHECK: graph.matmul %arg0, %[[A]]
// CHECK: %[[B:.*]] = graph.dequantize_linear %[[W]], %[[S]]
// CHECK: graph.matmul %arg1, %[[B]]
// FUSED-LABEL: @two_readers
// FUSED: graph.kernel %{{.*}}, %{{.*}}, %arg0 {
// FUSED-NEXT: ^bb0(%{{.*}}: tensor<64x16xi4>, %{{.*}}: tensor<2x16xf32>, %{{.*}}: tensor<1x64xf32>):
// FUSED-NEXT: graph.dequantize_linear
// FUSED-NEXT: graph.matmul
// FUSED: graph.kernel %{{.*}}, %{{.*}}, %arg1
func.func @two_readers(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %w = graph.constant dense<5> : tensor<64x16xi4>
  %s = graph.constant dense<0.5> : tensor<2x16xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x16xi4>, tensor<2x16xf32>) -> tensor<64x16xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x64xf32>, tensor<64x16xf32>) -> tensor<1x16xf32>
  %2 = graph.matmul %y, %0 : (tensor<1x64xf32>, tensor<64x16xf32>) -> tensor<1x16xf32>
  return %1, %2 : tensor<1x16xf32>, tensor<1x16xf32>
}

// No template multiplies a batch of matrices by the packed matrix, so it would be in memory twice.
// CHECK-LABEL: @unsupported_reader
// CHECK-NOT: graph.dequantize_linear
// CHECK: graph.constant {{.*}} : tensor<64x16xf32>
// CHECK: return
func.func @unsupported_reader(%x: tensor<1x64xf32>, %y: tensor<2x3x64xf32>) -> (tensor<1x16xf32>, tensor<2x3x16xf32>) {
  %w = graph.constant dense<5> : tensor<64x16xi4>
  %s = graph.constant dense<0.5> : tensor<2x16xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 0 : i64, blockSize = 32 : i64} : (tensor<64x16xi4>, tensor<2x16xf32>) -> tensor<64x16xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x64xf32>, tensor<64x16xf32>) -> tensor<1x16xf32>
  %2 = graph.matmul %y, %0 : (tensor<2x3x64xf32>, tensor<64x16xf32>) -> tensor<2x3x16xf32>
  return %1, %2 : tensor<1x16xf32>, tensor<2x3x16xf32>
}
