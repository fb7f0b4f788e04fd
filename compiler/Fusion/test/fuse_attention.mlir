// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},func.func(convoy-fusion-fuse-attention))' | FileCheck %s

// CHECK-LABEL: @products_and_softmax_become_one_kernel
// CHECK: graph.kernel %arg0, %arg1, %arg2
// CHECK: graph.matmul
// CHECK: graph.reduce max
// CHECK: graph.reduce sum
// CHECK: graph.matmul
// CHECK: graph.yield
// CHECK-NOT: graph.
// CHECK: return
func.func @products_and_softmax_become_one_kernel(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}

// -----

// Transposes of operands and result are part of the kernel.
// CHECK-LABEL: @transposes_join
// CHECK-NOT: graph.transpose
// CHECK: graph.kernel %arg0, %arg1, %arg2
// CHECK-COUNT-4: graph.transpose
// CHECK: graph.yield
// CHECK-NOT: graph.
// CHECK: return
func.func @transposes_join(%q: tensor<1x20x2x8xf32>, %k: tensor<1x20x2x8xf32>, %v: tensor<1x20x2x8xf32>) -> tensor<1x20x2x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %qt = graph.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x20x8xf32>
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x8x20xf32>
  %vt = graph.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x20x8xf32>
  %s = graph.matmul %qt, %kt : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %o = graph.matmul %p, %vt : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  %y = graph.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x20x8xf32>) -> tensor<1x20x2x8xf32>
  return %y : tensor<1x20x2x8xf32>
}

// -----

// Reshapes at the ends are views, so they stay outside.
// CHECK-LABEL: @reshapes_stay_outside
// CHECK-COUNT-3: graph.reshape
// CHECK: graph.kernel
// CHECK-NOT: graph.reshape
// CHECK: graph.yield
// CHECK: graph.reshape
// CHECK: return
func.func @reshapes_stay_outside(%q: tensor<20x16xf32>, %k: tensor<20x16xf32>, %v: tensor<20x16xf32>) -> tensor<20x16xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %shape = graph.constant dense<[1, 20, 2, 8]> : tensor<4xi64>
  %flat = graph.constant dense<[20, 16]> : tensor<2xi64>
  %qr = graph.reshape %q, %shape {allowZero = true} : (tensor<20x16xf32>, tensor<4xi64>) -> tensor<1x20x2x8xf32>
  %kr = graph.reshape %k, %shape {allowZero = true} : (tensor<20x16xf32>, tensor<4xi64>) -> tensor<1x20x2x8xf32>
  %vr = graph.reshape %v, %shape {allowZero = true} : (tensor<20x16xf32>, tensor<4xi64>) -> tensor<1x20x2x8xf32>
  %qt = graph.transpose %qr {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x20x8xf32>
  %kt = graph.transpose %kr {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x8x20xf32>
  %vt = graph.transpose %vr {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x20x8xf32>
  %s = graph.matmul %qt, %kt : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %o = graph.matmul %p, %vt : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  %ot = graph.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x20x8xf32>) -> tensor<1x20x2x8xf32>
  %y = graph.reshape %ot, %flat {allowZero = true} : (tensor<1x20x2x8xf32>, tensor<2xi64>) -> tensor<20x16xf32>
  return %y : tensor<20x16xf32>
}

// -----

// The masks are transposed outside the kernel and transposed back inside it.
// CHECK-LABEL: @scales_cap_and_masks_join
// CHECK-DAG: graph.transpose %arg3 {perm = array<i64: 0, 1, 3, 2>}
// CHECK-DAG: graph.transpose %arg4 {perm = array<i64: 1, 0>}
// CHECK: graph.kernel
// CHECK: graph.binary mul
// CHECK: graph.binary mul
// CHECK: graph.matmul
// CHECK: graph.binary div
// CHECK: graph.unary tanh
// CHECK: graph.transpose
// CHECK: graph.binary add
// CHECK: graph.transpose
// CHECK: graph.select
// CHECK: graph.yield
// CHECK-NOT: graph.
// CHECK: return
func.func @scales_cap_and_masks_join(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>, %mask: tensor<1x1x20x20xf32>, %allowed: tensor<20x20xi1>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %c = graph.constant dense<0.5> : tensor<f32>
  %qs = graph.binary mul %q, %c : (tensor<1x2x20x8xf32>, tensor<f32>) -> tensor<1x2x20x8xf32>
  %ks = graph.binary mul %c, %k : (tensor<f32>, tensor<1x2x8x20xf32>) -> tensor<1x2x8x20xf32>
  %s = graph.matmul %qs, %ks : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %s1 = graph.binary div %s, %c : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20x20xf32>
  %s2 = graph.unary tanh %s1 : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %s3 = graph.binary add %s2, %mask : (tensor<1x2x20x20xf32>, tensor<1x1x20x20xf32>) -> tensor<1x2x20x20xf32>
  %s4 = "graph.select"(%allowed, %s3, %c) : (tensor<20x20xi1>, tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s4 over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s4, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}

// -----

// Two attentions share one transposed constant.
// CHECK-LABEL: @constant_masks
// CHECK-NOT: graph.transpose
// CHECK: %[[MASK:.*]] = graph.constant dense<{{\[\[}}true, true, true], [false, true, true]]>
// CHECK-NOT: graph.transpose
// CHECK: graph.kernel {{.*}}%[[MASK]]
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK: graph.kernel {{.*}}%[[MASK]]
// CHECK: graph.transpose
// CHECK: graph.yield
// CHECK: return
func.func @constant_masks(%q: tensor<1x3x8xf32>, %k: tensor<1x8x2xf32>, %v: tensor<1x2x8xf32>) -> tensor<1x3x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %mask = graph.constant dense<[[true, false], [true, true], [true, true]]> : tensor<3x2xi1>
  %x = graph.matmul %q, %k : (tensor<1x3x8xf32>, tensor<1x8x2xf32>) -> tensor<1x3x2xf32>
  %s = "graph.select"(%mask, %x, %low) : (tensor<3x2xi1>, tensor<1x3x2xf32>, tensor<f32>) -> tensor<1x3x2xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x3x2xf32>, tensor<1xi64>) -> tensor<1x3x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x3x2xf32>, tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
  %e = graph.unary exp %d : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x3x2xf32>, tensor<1xi64>) -> tensor<1x3x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x3x2xf32>, tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
  %y = graph.matmul %p, %v : (tensor<1x3x2xf32>, tensor<1x2x8xf32>) -> tensor<1x3x8xf32>
  %x2 = graph.matmul %y, %k : (tensor<1x3x8xf32>, tensor<1x8x2xf32>) -> tensor<1x3x2xf32>
  %s2 = "graph.select"(%mask, %x2, %low) : (tensor<3x2xi1>, tensor<1x3x2xf32>, tensor<f32>) -> tensor<1x3x2xf32>
  %m2 = graph.reduce max %s2 over %axes {keepDims = true} : (tensor<1x3x2xf32>, tensor<1xi64>) -> tensor<1x3x1xf32>
  %d2 = graph.binary sub %s2, %m2 : (tensor<1x3x2xf32>, tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
  %e2 = graph.unary exp %d2 : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  %t2 = graph.reduce sum %e2 over %axes {keepDims = true} : (tensor<1x3x2xf32>, tensor<1xi64>) -> tensor<1x3x1xf32>
  %p2 = graph.binary div %e2, %t2 : (tensor<1x3x2xf32>, tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
  %z = graph.matmul %p2, %v : (tensor<1x3x2xf32>, tensor<1x2x8xf32>) -> tensor<1x3x8xf32>
  return %z : tensor<1x3x8xf32>
}

// -----

// Exporters replace the weights of queries without keys.
// CHECK-LABEL: @guarded_weights_join
// CHECK: graph.kernel
// CHECK: graph.unary is_nan
// CHECK: graph.select
// CHECK: graph.matmul
// CHECK: graph.yield
// CHECK-NOT: graph.
// CHECK: return
func.func @guarded_weights_join(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %z = graph.constant dense<0.0> : tensor<f32>
  %n = graph.unary is_nan %p : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xi1>
  %w = "graph.select"(%n, %z, %p) : (tensor<1x2x20x20xi1>, tensor<f32>, tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %w, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}

// -----

// The kernel reads each key head for all query heads that share it.
// CHECK-LABEL: @copies_of_key_heads_join
// CHECK-NOT: graph.expand
// CHECK: graph.kernel
// CHECK: graph.expand
// CHECK: graph.yield
// CHECK-NOT: graph.
// CHECK: return
func.func @copies_of_key_heads_join(%q: tensor<1x2x20x8xf32>, %k: tensor<1x1x1x20x8xf32>, %v: tensor<1x1x1x20x8xf32>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %five = graph.constant dense<[1, 1, 2, 20, 8]> : tensor<5xi64>
  %four = graph.constant dense<[1, 2, 20, 8]> : tensor<4xi64>
  %ke = graph.expand %k, %five : (tensor<1x1x1x20x8xf32>, tensor<5xi64>) -> tensor<1x1x2x20x8xf32>
  %kr = graph.reshape %ke, %four {allowZero = true} : (tensor<1x1x2x20x8xf32>, tensor<4xi64>) -> tensor<1x2x20x8xf32>
  %ve = graph.expand %v, %five : (tensor<1x1x1x20x8xf32>, tensor<5xi64>) -> tensor<1x1x2x20x8xf32>
  %vr = graph.reshape %ve, %four {allowZero = true} : (tensor<1x1x2x20x8xf32>, tensor<4xi64>) -> tensor<1x2x20x8xf32>
  %kt = graph.transpose %kr {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x20x8xf32>) -> tensor<1x2x8x20xf32>
  %s = graph.matmul %q, %kt : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %vr : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}

// -----

// CHECK-LABEL: @scores_are_read
// CHECK-NOT: graph.kernel
// CHECK: kernel.why_not_attention = "an op outside the attention reads the result of graph.matmul"
// CHECK: return
func.func @scores_are_read(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>) -> (tensor<1x2x20x8xf32>, tensor<1x2x20x20xf32>) {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y, %s : tensor<1x2x20x8xf32>, tensor<1x2x20x20xf32>
}

// -----

// CHECK-LABEL: @inputs_of_the_softmax
// CHECK-NOT: graph.kernel
// CHECK: kernel.why_not_attention = "the operand of the softmax is not computed from a product by element-wise ops"
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @inputs_of_the_softmax(%x: tensor<1x2x20x20xf32>, %v: tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %m = graph.reduce max %x over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %x, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}

// -----

// CHECK-LABEL: @halves
// CHECK-NOT: graph.kernel
// CHECK: kernel.why_not_attention = "attention is supported for f32, got f16"
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @halves(%q: tensor<1x2x20x8xf16>, %k: tensor<1x2x8x20xf16>, %v: tensor<1x2x20x8xf16>) -> tensor<1x2x20x8xf16> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf16>, tensor<1x2x8x20xf16>) -> tensor<1x2x20x20xf16>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf16>, tensor<1xi64>) -> tensor<1x2x20x1xf16>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf16>, tensor<1x2x20x1xf16>) -> tensor<1x2x20x20xf16>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf16>) -> tensor<1x2x20x20xf16>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf16>, tensor<1xi64>) -> tensor<1x2x20x1xf16>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf16>, tensor<1x2x20x1xf16>) -> tensor<1x2x20x20xf16>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf16>, tensor<1x2x20x8xf16>) -> tensor<1x2x20x8xf16>
  return %y : tensor<1x2x20x8xf16>
}

// -----

// CHECK-LABEL: @value_of_one_element
// CHECK: kernel.why_not_attention = "an operand is a constant of one element, which has no memory"
func.func @value_of_one_element(%q: tensor<1x1x17x1xf32>, %k: tensor<1x1x1x1xf32>) -> tensor<1x1x17x1xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %v = graph.constant dense<2.0> : tensor<1x1x1x1xf32>
  %s = graph.matmul %q, %k : (tensor<1x1x17x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x17x1xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x1x17x1xf32>, tensor<1xi64>) -> tensor<1x1x17x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x1x17x1xf32>, tensor<1x1x17x1xf32>) -> tensor<1x1x17x1xf32>
  %e = graph.unary exp %d : (tensor<1x1x17x1xf32>) -> tensor<1x1x17x1xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x1x17x1xf32>, tensor<1xi64>) -> tensor<1x1x17x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x1x17x1xf32>, tensor<1x1x17x1xf32>) -> tensor<1x1x17x1xf32>
  %y = graph.matmul %p, %v : (tensor<1x1x17x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x17x1xf32>
  return %y : tensor<1x1x17x1xf32>
}

// -----

// CHECK-LABEL: @no_keys
// CHECK-NOT: graph.kernel
// CHECK: kernel.why_not_attention = "attention is not supported for empty tensors"
// CHECK-NOT: graph.kernel
// CHECK: return
func.func @no_keys(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x0xf32>, %v: tensor<1x2x0x8xf32>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x0xf32>) -> tensor<1x2x20x0xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x0xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x0xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x0xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x0xf32>) -> tensor<1x2x20x0xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x0xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x0xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x0xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x0xf32>, tensor<1x2x0x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}

// -----

// A softmax along another dimension is not an attention.
// CHECK-LABEL: @softmax_along_queries
// CHECK-NOT: graph.kernel
// CHECK-NOT: why_not_attention
// CHECK: return
func.func @softmax_along_queries(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32> {
  %axes = graph.constant dense<2> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x1x20xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x1x20xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x1x20xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x1x20xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  return %y : tensor<1x2x20x8xf32>
}
