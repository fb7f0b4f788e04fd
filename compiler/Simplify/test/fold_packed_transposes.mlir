// RUN: convoy-opt -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-fold-packed-transposes,convoy-graph-fold-constants{keeps-packed=true}))' %s | FileCheck %s

// CHECK-LABEL: @transposed_matrix_stays_packed
// CHECK-DAG: %[[W:.*]] = graph.constant dense_resource<[[BYTES:.*]]> : tensor<2x2xi4>
// CHECK-DAG: %[[S:.*]] = graph.constant dense<{{.}}[5.000000e-01, 2.500000e-01]]> : tensor<1x2xf32>
// CHECK: %[[D:.*]] = graph.dequantize_linear %[[W]], %[[S]] {{.*}}axis = 0 {{.*}}blockSize = 2 {{.*}} -> tensor<2x2xf32>
// CHECK-NOT: graph.transpose
// CHECK: graph.matmul %arg0, %[[D]]
// CHECK: [[BYTES]]: "0x{{[0-9A-F]*}}01030204"
func.func @transposed_matrix_stays_packed(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi4>
  %s = graph.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 1 : i64, blockSize = 2 : i64} : (tensor<2x2xi4>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = graph.matmul %x, %1 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// -----

// An op other than a product reads the matrix, so it becomes f32.
// CHECK-LABEL: @matrix_with_another_reader_becomes_f32
// CHECK-NOT: graph.dequantize_linear
func.func @matrix_with_another_reader_becomes_f32(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>) {
  %w = graph.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi4>
  %s = graph.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %0 = graph.dequantize_linear %w, %s {to = f32, axis = 1 : i64, blockSize = 2 : i64} : (tensor<2x2xi4>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = graph.matmul %x, %1 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  return %2, %1 : tensor<1x2xf32>, tensor<2x2xf32>
}
