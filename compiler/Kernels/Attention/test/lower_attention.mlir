// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},convoy-kernels-lower-attention)' | FileCheck %s

// 20 queries are two blocks of 16 for each of 2 heads. The second block starts at query 4. 20 keys are three
// tiles of 6 and one of 2. Each step of a tile multiplies two vectors of queries with one element
// of each key. The scratch memory contains 8 x 16 elements of queries, 20 x 16 scores, 16 sums and 16 x 8
// results.
// CHECK-LABEL: @blocks_of_queries
// CHECK-SAME: memref<2368xi8>
// CHECK-SAME: range = 4 : i64
// CHECK-SAME: scratch = 2368 : i64
// CHECK: arith.minsi
// Shuffles transpose squares of 8 queries and 8 elements.
// CHECK-COUNT-8: vector.load %arg0
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store
// CHECK-COUNT-8: vector.load %arg0
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-6: memref.load %arg1
// CHECK-NOT: memref.load %arg1
// CHECK: arith.cmpf ogt
// CHECK: arith.select
// CHECK: scf.for
// CHECK-COUNT-2: memref.load %arg1
// CHECK-NOT: memref.load %arg1
// CHECK: scf.for
// CHECK: math.exp
// CHECK: arith.divf
// Four queries share one load of the values.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %arg2
// CHECK-COUNT-4: math.fma
// CHECK-NOT: math.fma
// CHECK: arith.mulf
// CHECK: vector.store %{{.*}}, %arg3
// CHECK: return
task.kernel @blocks_of_queries(%q: tensor<1x20x2x8xf32>, %k: tensor<1x20x2x8xf32>, %v: tensor<1x20x2x8xf32>) -> tensor<1x20x2x8xf32>
    attributes {config = #kernel.attention<queries = 16, keys = 6, chunk = 20, vectors = 2, unroll = 4, pack = 0>} {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %c = graph.constant dense<2.0> : tensor<f32>
  %qt = graph.transpose %q {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x20x8xf32>
  %kt = graph.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x8x20xf32>
  %vt = graph.transpose %v {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x20x2x8xf32>) -> tensor<1x2x20x8xf32>
  %s = graph.matmul %qt, %kt : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %s1 = graph.binary div %s, %c : (tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s1 over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s1, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %o = graph.matmul %p, %vt : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  %y = graph.transpose %o {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x20x8xf32>) -> tensor<1x20x2x8xf32>
  task.return %y : tensor<1x20x2x8xf32>
}

// -----

// The values of a head are copied by the first of its three blocks. Blocks of one head share the copy.
// CHECK-LABEL: @copied_values
// CHECK-SAME: joint = 3 : i64
// CHECK-SAME: range = 6 : i64
// CHECK: scf.if
// CHECK: vector.gather %arg2
// CHECK-NOT: %arg2
// CHECK: return
task.kernel @copied_values(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x8x20xf32>) -> tensor<1x2x20x8xf32>
    attributes {config = #kernel.attention<queries = 8, keys = 4, chunk = 20, vectors = 1, unroll = 2, pack = 1>} {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %vt = graph.transpose %v {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x8x20xf32>) -> tensor<1x2x20x8xf32>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %vt : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  task.return %y : tensor<1x2x20x8xf32>
}

// -----

// Ops after the softmax apply to the quotient, so the results are not divided again.
// CHECK-LABEL: @guarded_weights
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: arith.select
// CHECK-NOT: arith.divf
// CHECK: return
task.kernel @guarded_weights(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    attributes {config = #kernel.attention<queries = 8, keys = 4, chunk = 20, vectors = 1, unroll = 2, pack = 0>} {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %z = graph.constant dense<0.0> : tensor<f32>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %n = graph.unary is_nan %p : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xi1>
  %w = "graph.select"(%n, %z, %p) : (tensor<1x2x20x20xi1>, tensor<f32>, tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %w, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  task.return %y : tensor<1x2x20x8xf32>
}

// -----

// Two chunks of 8 keys and one of 4. The scratch memory contains 8 x 8 elements of queries, 8 x 8 scores, 8
// sums, 8 maxima, 8 factors and 8 x 8 results. A chunk scales the sums and the results before it adds its
// products. The last chunk is outside the loop.
// CHECK-LABEL: @chunks_of_keys
// CHECK-SAME: scratch = 864 : i64
// CHECK: arith.constant -3.40282347E+38
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK: math.exp
// CHECK: math.fma
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: return
task.kernel @chunks_of_keys(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
    attributes {config = #kernel.attention<queries = 8, keys = 4, chunk = 8, vectors = 1, unroll = 2, pack = 0>} {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %s = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  task.return %y : tensor<1x2x20x8xf32>
}

// -----

// A chunk that the mask excludes for all queries of the block is skipped. The kernel reads the transposed mask with
// vector loads.
// CHECK-LABEL: @excluded_chunks
// CHECK-COUNT-8: vector.load %arg3
// CHECK: scf.if
// CHECK: memref.load %arg1
// CHECK: math.exp
// CHECK: scf.if
// CHECK: arith.divf
// CHECK: return
task.kernel @excluded_chunks(%q: tensor<1x2x20x8xf32>, %k: tensor<1x2x8x20xf32>, %v: tensor<1x2x20x8xf32>, %mask: tensor<20x20xi1>) -> tensor<1x2x20x8xf32>
    attributes {config = #kernel.attention<queries = 8, keys = 4, chunk = 8, vectors = 1, unroll = 2, pack = 0>} {
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %allowed = graph.transpose %mask {perm = array<i64: 1, 0>} : (tensor<20x20xi1>) -> tensor<20x20xi1>
  %x = graph.matmul %q, %k : (tensor<1x2x20x8xf32>, tensor<1x2x8x20xf32>) -> tensor<1x2x20x20xf32>
  %s = "graph.select"(%allowed, %x, %low) : (tensor<20x20xi1>, tensor<1x2x20x20xf32>, tensor<f32>) -> tensor<1x2x20x20xf32>
  %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %d = graph.binary sub %s, %m : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %e = graph.unary exp %d : (tensor<1x2x20x20xf32>) -> tensor<1x2x20x20xf32>
  %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x2x20x20xf32>, tensor<1xi64>) -> tensor<1x2x20x1xf32>
  %p = graph.binary div %e, %t : (tensor<1x2x20x20xf32>, tensor<1x2x20x1xf32>) -> tensor<1x2x20x20xf32>
  %y = graph.matmul %p, %v : (tensor<1x2x20x20xf32>, tensor<1x2x20x8xf32>) -> tensor<1x2x20x8xf32>
  task.return %y : tensor<1x2x20x8xf32>
}
