// RUN: convoy-opt --convoy-graph-split-products --convoy-graph-fold-constants %s | FileCheck %s

// Query, key and value of attention.
// CHECK-LABEL: @gathers_after_a_transpose
// CHECK-DAG: %[[W0:.*]] = graph.constant {{.*}} : tensor<2x32xf32>
// CHECK: %[[Y0:.*]] = graph.matmul %arg0, {{.*}} -> tensor<1x5x32xf32>
// CHECK: %[[B0:.*]] = graph.binary add %[[Y0]], {{.*}} : (tensor<1x5x32xf32>, tensor<32xf32>)
// CHECK: %[[R0:.*]] = graph.reshape %[[B0]], {{.*}} -> tensor<1x5x2x16xf32>
// CHECK: %[[T0:.*]] = graph.transpose %[[R0]] {perm = array<i64: 0, 2, 1, 3>} : {{.*}} -> tensor<1x2x5x16xf32>
// CHECK: %[[Y1:.*]] = graph.matmul %arg0, {{.*}} -> tensor<1x5x32xf32>
// CHECK: %[[T1:.*]] = graph.transpose {{.*}} -> tensor<1x2x5x16xf32>
// CHECK-NOT: graph.gather
// CHECK: return %[[T0]], %[[T1]]
func.func @gathers_after_a_transpose(%x: tensor<1x5x2xf32>) -> (tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>) {
  %w = graph.constant dense<1.5> : tensor<2x96xf32>
  %b = graph.constant dense<0.5> : tensor<96xf32>
  %shape = graph.constant dense<[1, 5, 3, 2, 16]> : tensor<5xi64>
  %i0 = graph.constant dense<0> : tensor<i64>
  %i2 = graph.constant dense<-1> : tensor<i64>
  %0 = graph.matmul %x, %w : (tensor<1x5x2xf32>, tensor<2x96xf32>) -> tensor<1x5x96xf32>
  %1 = graph.binary add %0, %b : (tensor<1x5x96xf32>, tensor<96xf32>) -> tensor<1x5x96xf32>
  %2 = graph.reshape %1, %shape {allowZero = false} : (tensor<1x5x96xf32>, tensor<5xi64>) -> tensor<1x5x3x2x16xf32>
  %3 = graph.transpose %2 {perm = array<i64: 2, 0, 3, 1, 4>} : (tensor<1x5x3x2x16xf32>) -> tensor<3x1x2x5x16xf32>
  %q = graph.gather %3, %i0 {axis = 0 : i64} : (tensor<3x1x2x5x16xf32>, tensor<i64>) -> tensor<1x2x5x16xf32>
  %v = graph.gather %3, %i2 {axis = 0 : i64} : (tensor<3x1x2x5x16xf32>, tensor<i64>) -> tensor<1x2x5x16xf32>
  return %q, %v : tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>
}

// The halves of a gated layer. Every part has its own columns of the matrix.
// CHECK-LABEL: @slices_of_columns
// CHECK-DAG: %[[LOW:.*]] = graph.constant dense<1.000000e+00> : tensor<1x16xf32>
// CHECK-DAG: %[[HIGH:.*]] = graph.constant dense<2.000000e+00> : tensor<1x16xf32>
// CHECK-DAG: %[[A:.*]] = graph.matmul %arg0, %[[LOW]]
// CHECK-DAG: %[[B:.*]] = graph.matmul %arg0, %[[HIGH]]
// CHECK: return %[[A]], %[[B]]
func.func @slices_of_columns(%x: tensor<3x1xf32>) -> (tensor<3x16xf32>, tensor<3x16xf32>) {
  %w = graph.constant dense<[[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]> : tensor<1x32xf32>
  %c0 = graph.constant dense<0> : tensor<1xi64>
  %c16 = graph.constant dense<16> : tensor<1xi64>
  %c32 = graph.constant dense<32> : tensor<1xi64>
  %axis = graph.constant dense<-1> : tensor<1xi64>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x32xf32>) -> tensor<3x32xf32>
  %a = graph.slice %0, %c0, %c16, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x32xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x16xf32>
  %b = graph.slice %0, %c16, %c32, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x32xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x16xf32>
  return %a, %b : tensor<3x16xf32>, tensor<3x16xf32>
}

// Another op reads the whole product.
// CHECK-LABEL: @whole_product_is_read
// CHECK: graph.matmul {{.*}} -> tensor<3x32xf32>
// CHECK: graph.slice
func.func @whole_product_is_read(%x: tensor<3x1xf32>) -> (tensor<3x16xf32>, tensor<3x32xf32>) {
  %w = graph.constant dense<1.0> : tensor<1x32xf32>
  %c0 = graph.constant dense<0> : tensor<1xi64>
  %c16 = graph.constant dense<16> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x32xf32>) -> tensor<3x32xf32>
  %a = graph.slice %0, %c0, %c16, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x32xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x16xf32>
  return %a, %0 : tensor<3x16xf32>, tensor<3x32xf32>
}

// The parts overlap: 16 columns would be computed twice.
// CHECK-LABEL: @parts_overlap
// CHECK: graph.matmul {{.*}} -> tensor<3x48xf32>
// CHECK-NOT: graph.matmul
func.func @parts_overlap(%x: tensor<3x1xf32>) -> (tensor<3x32xf32>, tensor<3x32xf32>) {
  %w = graph.constant dense<1.0> : tensor<1x48xf32>
  %c0 = graph.constant dense<0> : tensor<1xi64>
  %c16 = graph.constant dense<16> : tensor<1xi64>
  %c32 = graph.constant dense<32> : tensor<1xi64>
  %c48 = graph.constant dense<48> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x48xf32>) -> tensor<3x48xf32>
  %a = graph.slice %0, %c0, %c32, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x48xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x32xf32>
  %b = graph.slice %0, %c16, %c48, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x48xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x32xf32>
  return %a, %b : tensor<3x32xf32>, tensor<3x32xf32>
}

// The gathered dimension divides the heads, not the columns.
// CHECK-LABEL: @gather_along_another_dimension
// CHECK: graph.matmul {{.*}} -> tensor<5x64xf32>
// CHECK: graph.gather
func.func @gather_along_another_dimension(%x: tensor<5x2xf32>) -> tensor<5x2x16xf32> {
  %w = graph.constant dense<1.5> : tensor<2x64xf32>
  %shape = graph.constant dense<[5, 2, 2, 16]> : tensor<4xi64>
  %i = graph.constant dense<1> : tensor<i64>
  %0 = graph.matmul %x, %w : (tensor<5x2xf32>, tensor<2x64xf32>) -> tensor<5x64xf32>
  %1 = graph.reshape %0, %shape {allowZero = false} : (tensor<5x64xf32>, tensor<4xi64>) -> tensor<5x2x2x16xf32>
  %2 = graph.gather %1, %i {axis = 2 : i64} : (tensor<5x2x2x16xf32>, tensor<i64>) -> tensor<5x2x16xf32>
  return %2 : tensor<5x2x16xf32>
}

// A nested region reads the parts. The body of a loop would compute them in each iteration.
// CHECK-LABEL: @parts_in_a_region
// CHECK: graph.matmul {{.*}} -> tensor<3x32xf32>
// CHECK: graph.if
func.func @parts_in_a_region(%x: tensor<3x1xf32>, %c: tensor<i1>) -> tensor<3x16xf32> {
  %w = graph.constant dense<1.0> : tensor<1x32xf32>
  %c0 = graph.constant dense<0> : tensor<1xi64>
  %c16 = graph.constant dense<16> : tensor<1xi64>
  %c32 = graph.constant dense<32> : tensor<1xi64>
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x32xf32>) -> tensor<3x32xf32>
  %1 = graph.if %c {
    %a = graph.slice %0, %c0, %c16, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x32xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x16xf32>
    graph.yield %a : tensor<3x16xf32>
  } else {
    %b = graph.slice %0, %c16, %c32, %axis {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<3x32xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x16xf32>
    graph.yield %b : tensor<3x16xf32>
  } : (tensor<i1>) -> tensor<3x16xf32>
  return %1 : tensor<3x16xf32>
}

// A product without columns.
// CHECK-LABEL: @no_columns
// CHECK: graph.matmul
// CHECK: graph.reshape
func.func @no_columns(%x: tensor<5x2xf32>) -> tensor<0x5xf32> {
  %w = graph.constant dense<> : tensor<2x0xf32>
  %shape = graph.constant dense<[0, 5]> : tensor<2xi64>
  %0 = graph.matmul %x, %w : (tensor<5x2xf32>, tensor<2x0xf32>) -> tensor<5x0xf32>
  %1 = graph.reshape %0, %shape {allowZero = true} : (tensor<5x0xf32>, tensor<2xi64>) -> tensor<0x5xf32>
  return %1 : tensor<0x5xf32>
}
