// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-lower-rows)' | FileCheck %s

// Softmax takes three passes. The second one stores the exponentials in scratch memory. The kernel
// multiplies by the reciprocal of the sum.
// CHECK-LABEL: task.kernel @softmax
// CHECK-SAME: memref<640xf32>, %arg1: memref<640xf32>, %[[SCRATCH:.*]]: memref<128xi8>
// CHECK-SAME: in_place = array<i64: 0, 1>
// CHECK-SAME: range = 20 : i64
// CHECK-SAME: scratch = 128 : i64
// CHECK: %[[KEPT:.*]] = memref.view %[[SCRATCH]]
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: vector.store %{{.*}}, %[[KEPT]]
// CHECK: arith.extf {{.*}} vector<8xf32> to vector<8xf64>
// CHECK: arith.divf %{{.*}} : f32
// CHECK-NOT: math.exp
// CHECK: vector.load %[[KEPT]]
// CHECK: arith.mulf
// CHECK: vector.store %{{.*}}, %arg1
task.kernel @softmax(%x: tensor<20x32xf32>) -> tensor<20x32xf32>
    attributes {config = #kernel.rows<rows = 1, vectors = 4, terms = 64>} {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce max %x over %axis {keepDims = true} : (tensor<20x32xf32>, tensor<1xi64>) -> tensor<20x1xf32>
  %1 = graph.binary sub %x, %0 : (tensor<20x32xf32>, tensor<20x1xf32>) -> tensor<20x32xf32>
  %2 = graph.unary exp %1 : (tensor<20x32xf32>) -> tensor<20x32xf32>
  %3 = graph.reduce sum %2 over %axis {keepDims = true} : (tensor<20x32xf32>, tensor<1xi64>) -> tensor<20x1xf32>
  %4 = graph.binary div %2, %3 : (tensor<20x32xf32>, tensor<20x1xf32>) -> tensor<20x32xf32>
  task.return %4 : tensor<20x32xf32>
}

// -----

// With one term per sum in f32, sums add in f64 and the kernel divides.
// CHECK-LABEL: task.kernel @strict_softmax
// CHECK: math.exp
// CHECK: arith.addf %{{.*}} : vector<8xf64>
// CHECK: arith.divf %{{.*}} : vector<8xf32>
task.kernel @strict_softmax(%x: tensor<20x32xf32>) -> tensor<20x32xf32>
    attributes {config = #kernel.rows<rows = 1, vectors = 4, terms = 1>} {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce max %x over %axis {keepDims = true} : (tensor<20x32xf32>, tensor<1xi64>) -> tensor<20x1xf32>
  %1 = graph.binary sub %x, %0 : (tensor<20x32xf32>, tensor<20x1xf32>) -> tensor<20x32xf32>
  %2 = graph.unary exp %1 : (tensor<20x32xf32>) -> tensor<20x32xf32>
  %3 = graph.reduce sum %2 over %axis {keepDims = true} : (tensor<20x32xf32>, tensor<1xi64>) -> tensor<20x1xf32>
  %4 = graph.binary div %2, %3 : (tensor<20x32xf32>, tensor<20x1xf32>) -> tensor<20x32xf32>
  task.return %4 : tensor<20x32xf32>
}

// -----

// The last vector of a row of 13 elements overlaps the first one. The sum ignores three lanes.
// CHECK-LABEL: task.kernel @overlapping_vector
// CHECK-SAME: range = 2 : i64
// CHECK: %[[MASK:.*]] = arith.constant dense<[false, false, false, true, true, true, true, true]>
// CHECK: arith.select %[[MASK]]
// CHECK: vector.shuffle
// CHECK: memref.store %{{.*}}, %arg1
task.kernel @overlapping_vector(%x: tensor<4x13xf32>) -> tensor<4xf32>
    attributes {config = #kernel.rows<rows = 2, vectors = 1, terms = 64>} {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce sum %x over %axis {keepDims = false} : (tensor<4x13xf32>, tensor<1xi64>) -> tensor<4xf32>
  task.return %0 : tensor<4xf32>
}

// -----

// Sums of many terms leave f32 after 64 steps.
// CHECK-LABEL: task.kernel @long_row
// CHECK-SAME: range = 1 : i64
// CHECK: scf.for {{.*}} -> (vector<8xf64>)
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>)
task.kernel @long_row(%x: tensor<16384xf32>) -> tensor<f32>
    attributes {config = #kernel.rows<rows = 1, vectors = 2, terms = 64>} {
  %0 = graph.reduce sum %x {keepDims = false} : (tensor<16384xf32>) -> tensor<f32>
  task.return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{has the configuration #kernel.rows<rows = 1, vectors = 1, terms = 1>, which does not fit the kernel: a reduction is not over the last dimensions; this is a bug in convoy's layout stage}}
task.kernel @columns(%x: tensor<4x13xf32>) -> tensor<1x13xf32>
    attributes {config = #kernel.rows<rows = 1, vectors = 1, terms = 1>} {
  %axis = graph.constant dense<0> : tensor<1xi64>
  %0 = graph.reduce sum %x over %axis {keepDims = true} : (tensor<4x13xf32>, tensor<1xi64>) -> tensor<1x13xf32>
  task.return %0 : tensor<1x13xf32>
}
