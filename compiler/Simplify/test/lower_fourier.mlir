// RUN: convoy-opt --convoy-graph-lower-fourier --split-input-file %s | FileCheck %s

// CHECK-LABEL: @short_transforms_are_one_product
// CHECK: %[[X:.*]] = graph.reshape %arg0, {{.*}} -> tensor<1x3x8xf32>
// CHECK: %[[F:.*]] = graph.constant {{.*}} tensor<1x8x10xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[F]] : {{.*}} -> tensor<1x3x10xf32>
// CHECK: %[[Y:.*]] = graph.reshape %[[P]], {{.*}} -> tensor<3x5x2xf32>
// CHECK: return %[[Y]]
func.func @short_transforms_are_one_product(%x: tensor<3x8x1xf32>) -> tensor<3x5x2xf32> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x8x1xf32>) -> tensor<3x5x2xf32>
  return %y : tensor<3x5x2xf32>
}

// -----

// The matrix of two points: a real part and an imaginary part that is zero, for each bin.
// CHECK-LABEL: @two_points
// CHECK{LITERAL}: dense<[[[1.000000e+00, 0.000000e+00, 1.000000e+00, 0.000000e+00], [1.000000e+00, 0.000000e+00, -1.000000e+00, 0.000000e+00]]]>
func.func @two_points(%x: tensor<1x2x1xf32>) -> tensor<1x2x2xf32> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x2x1xf32>) -> tensor<1x2x2xf32>
  return %y : tensor<1x2x2xf32>
}

// -----

// Transforms of distant elements, roots of unity, transforms of near elements, and the bins in order.
// CHECK-LABEL: @long_transforms_have_factors
// CHECK: %[[X:.*]] = graph.reshape {{.*}} -> tensor<3x32x32xf32>
// CHECK: %[[D:.*]] = graph.matmul %{{.*}}, %[[X]] : {{.*}} -> tensor<3x64x32xf32>
// CHECK: %[[S:.*]] = graph.reshape %[[D]], {{.*}} -> tensor<3x32x2x32xf32>
// CHECK: %[[B:.*]] = graph.slice %[[S]]
// CHECK-DAG: %[[COS:.*]] = graph.binary mul %[[S]], {{.*}}tensor<32x1x32xf32>
// CHECK-DAG: %[[SIN:.*]] = graph.binary mul %[[B]], {{.*}}tensor<32x2x32xf32>
// CHECK: %[[Z:.*]] = graph.binary add %[[COS]], %[[SIN]]
// CHECK: %[[N:.*]] = graph.reshape %[[Z]]
// CHECK: %[[P:.*]] = graph.matmul %[[N]]
// CHECK: graph.transpose {{.*}}perm = array<i64: 0, 2, 1, 3>
// CHECK: graph.slice {{.*}} -> tensor<3x513x2xf32>
// CHECK-NOT: graph.dft
func.func @long_transforms_have_factors(%x: tensor<3x1024x1xf32>) -> tensor<3x513x2xf32> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x1024x1xf32>) -> tensor<3x513x2xf32>
  return %y : tensor<3x513x2xf32>
}

// -----

// CHECK-LABEL: @small_primes_are_one_product
// CHECK: graph.matmul {{.*}} : (tensor<1x3x97xf32>, tensor<1x97x98xf32>)
func.func @small_primes_are_one_product(%x: tensor<3x97x1xf32>) -> tensor<3x49x2xf32> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x97x1xf32>) -> tensor<3x49x2xf32>
  return %y : tensor<3x49x2xf32>
}

// -----

// The signal times the chirp, padded; times the spectrum of the chirp; times the chirp.
// CHECK-LABEL: @large_primes_are_convolutions
// CHECK: graph.binary mul %{{.*}} : (tensor<3x1x1021xf32>, tensor<2x1021xf32>) -> tensor<3x2x1021xf32>
// CHECK: graph.pad {{.*}} -> tensor<3x2x1536xf32>
// CHECK: graph.matmul
// CHECK: graph.binary mul %{{.*}} : (tensor<3x2x1536xf32>, tensor<1x1536xf32>)
// CHECK: graph.matmul
// CHECK: graph.binary mul %{{.*}} : (tensor<3x2x511xf32>, tensor<1x511xf32>)
// CHECK: graph.transpose {{.*}} -> tensor<3x511x2xf32>
// CHECK-NOT: graph.dft
func.func @large_primes_are_convolutions(%x: tensor<3x1021x1xf32>) -> tensor<3x511x2xf32> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x1021x1xf32>) -> tensor<3x511x2xf32>
  return %y : tensor<3x511x2xf32>
}

// -----

// CHECK-LABEL: @one_bin_without_a_length_has_no_elements
// CHECK: graph.constant {{.*}} tensor<3x0x1xf32>
// CHECK-NOT: graph.dft
func.func @one_bin_without_a_length_has_no_elements(%x: tensor<3x1x2xf32>) -> tensor<3x0x1xf32> {
  %y = graph.dft %x {inverse = true, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x1x2xf32>) -> tensor<3x0x1xf32>
  return %y : tensor<3x0x1xf32>
}

// -----

// The elements beyond the length are not read; missing elements have no rows in the matrix.
// CHECK-LABEL: @signals_of_other_lengths
// CHECK: %[[S:.*]] = graph.slice %{{.*}} -> tensor<3x6x2xf32>
// CHECK: graph.matmul {{.*}} : (tensor<1x3x12xf32>, tensor<1x12x12xf32>)
// CHECK: graph.matmul {{.*}} : (tensor<1x3x16xf32>, tensor<1x16x18xf32>)
func.func @signals_of_other_lengths(%x: tensor<3x8x2xf32>) -> (tensor<3x6x2xf32>, tensor<3x9x2xf32>) {
  %six = graph.constant dense<6> : tensor<i64>
  %nine = graph.constant dense<9> : tensor<i64>
  %y = graph.dft %x, %six {inverse = false, onesided = false, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<3x8x2xf32>, tensor<i64>) -> tensor<3x6x2xf32>
  %z = graph.dft %x, %nine {inverse = false, onesided = false, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<3x8x2xf32>, tensor<i64>) -> tensor<3x9x2xf32>
  return %y, %z : tensor<3x6x2xf32>, tensor<3x9x2xf32>
}

// -----

// CHECK-LABEL: @other_axes_are_transposed
// CHECK: graph.transpose %arg0 {perm = array<i64: 1, 0, 2>}
// CHECK: graph.matmul {{.*}} : (tensor<1x5x8xf32>, tensor<1x8x16xf32>)
// CHECK: graph.transpose {{.*}}perm = array<i64: 1, 0, 2>{{.*}} -> tensor<8x5x2xf32>
func.func @other_axes_are_transposed(%x: tensor<8x5x1xf32>) -> tensor<8x5x2xf32> {
  %axis = graph.constant dense<0> : tensor<i64>
  %y = graph.dft %x, %axis {inverse = false, onesided = false, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<8x5x1xf32>, tensor<i64>) -> tensor<8x5x2xf32>
  return %y : tensor<8x5x2xf32>
}

// -----

// CHECK-LABEL: @half_precision_is_computed_in_f32
// CHECK: graph.cast %arg0 {{.*}} -> tensor<3x8x1xf32>
// CHECK: graph.cast {{.*}} -> tensor<3x5x2xf16>
func.func @half_precision_is_computed_in_f32(%x: tensor<3x8x1xf16>) -> tensor<3x5x2xf16> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x8x1xf16>) -> tensor<3x5x2xf16>
  return %y : tensor<3x5x2xf16>
}

// -----

// CHECK-LABEL: @huge_primes_stay
// CHECK: graph.dft
func.func @huge_primes_stay(%x: tensor<1x4000037x1xf32>) -> tensor<1x2000019x2xf32> {
  %y = graph.dft %x {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<1x4000037x1xf32>) -> tensor<1x2000019x2xf32>
  return %y : tensor<1x2000019x2xf32>
}

// -----

// CHECK-LABEL: @open_lengths_stay
// CHECK: graph.dft
func.func @open_lengths_stay(%x: tensor<3x8x1xf32>, %n: tensor<i64>) -> tensor<3x?x2xf32> {
  %y = graph.dft %x, %n {inverse = false, onesided = true, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<3x8x1xf32>, tensor<i64>) -> tensor<3x?x2xf32>
  return %y : tensor<3x?x2xf32>
}
