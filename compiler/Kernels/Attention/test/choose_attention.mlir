// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts))' | FileCheck %s

// Two vectors of queries reuse each key twice.
// CHECK-LABEL: @long_sequence
// CHECK: config = #kernel.attention<queries = 32, keys =
func.func @long_sequence(%a: tensor<1x12x128x64xf32>, %b: tensor<1x12x64x128xf32>, %c: tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32> {
  %0 = graph.kernel %a, %b, %c {
  ^bb0(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x64x128xf32>, %v: tensor<1x12x128x64xf32>):
    %axes = graph.constant dense<-1> : tensor<1xi64>
    %s = graph.matmul %q, %k : (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>) -> tensor<1x12x128x128xf32>
    %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x12x128x128xf32>, tensor<1xi64>) -> tensor<1x12x128x1xf32>
    %d = graph.binary sub %s, %m : (tensor<1x12x128x128xf32>, tensor<1x12x128x1xf32>) -> tensor<1x12x128x128xf32>
    %e = graph.unary exp %d : (tensor<1x12x128x128xf32>) -> tensor<1x12x128x128xf32>
    %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x12x128x128xf32>, tensor<1xi64>) -> tensor<1x12x128x1xf32>
    %p = graph.binary div %e, %t : (tensor<1x12x128x128xf32>, tensor<1x12x128x1xf32>) -> tensor<1x12x128x128xf32>
    %y = graph.matmul %p, %v : (tensor<1x12x128x128xf32>, tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32>
    graph.yield %y : tensor<1x12x128x64xf32>
  } : (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>, tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32>
  return %0 : tensor<1x12x128x64xf32>
}

// Vectors are not longer than the queries of a head.
// CHECK-LABEL: @few_queries
// CHECK: config = #kernel.attention<queries = 4, keys =
func.func @few_queries(%a: tensor<1x8x5x36xf32>, %b: tensor<1x8x36x40xf32>, %c: tensor<1x8x40x36xf32>) -> tensor<1x8x5x36xf32> {
  %0 = graph.kernel %a, %b, %c {
  ^bb0(%q: tensor<1x8x5x36xf32>, %k: tensor<1x8x36x40xf32>, %v: tensor<1x8x40x36xf32>):
    %axes = graph.constant dense<-1> : tensor<1xi64>
    %s = graph.matmul %q, %k : (tensor<1x8x5x36xf32>, tensor<1x8x36x40xf32>) -> tensor<1x8x5x40xf32>
    %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x8x5x40xf32>, tensor<1xi64>) -> tensor<1x8x5x1xf32>
    %d = graph.binary sub %s, %m : (tensor<1x8x5x40xf32>, tensor<1x8x5x1xf32>) -> tensor<1x8x5x40xf32>
    %e = graph.unary exp %d : (tensor<1x8x5x40xf32>) -> tensor<1x8x5x40xf32>
    %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x8x5x40xf32>, tensor<1xi64>) -> tensor<1x8x5x1xf32>
    %p = graph.binary div %e, %t : (tensor<1x8x5x40xf32>, tensor<1x8x5x1xf32>) -> tensor<1x8x5x40xf32>
    %y = graph.matmul %p, %v : (tensor<1x8x5x40xf32>, tensor<1x8x40x36xf32>) -> tensor<1x8x5x36xf32>
    graph.yield %y : tensor<1x8x5x36xf32>
  } : (tensor<1x8x5x36xf32>, tensor<1x8x36x40xf32>, tensor<1x8x40x36xf32>) -> tensor<1x8x5x36xf32>
  return %0 : tensor<1x8x5x36xf32>
}

// One query has no lanes.
// CHECK-LABEL: @one_query
// CHECK: config = #kernel.attention<queries = 1, keys =
func.func @one_query(%a: tensor<1x8x1x36xf32>, %b: tensor<1x8x36x40xf32>, %c: tensor<1x8x40x36xf32>) -> tensor<1x8x1x36xf32> {
  %0 = graph.kernel %a, %b, %c {
  ^bb0(%q: tensor<1x8x1x36xf32>, %k: tensor<1x8x36x40xf32>, %v: tensor<1x8x40x36xf32>):
    %axes = graph.constant dense<-1> : tensor<1xi64>
    %s = graph.matmul %q, %k : (tensor<1x8x1x36xf32>, tensor<1x8x36x40xf32>) -> tensor<1x8x1x40xf32>
    %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x8x1x40xf32>, tensor<1xi64>) -> tensor<1x8x1x1xf32>
    %d = graph.binary sub %s, %m : (tensor<1x8x1x40xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x1x40xf32>
    %e = graph.unary exp %d : (tensor<1x8x1x40xf32>) -> tensor<1x8x1x40xf32>
    %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x8x1x40xf32>, tensor<1xi64>) -> tensor<1x8x1x1xf32>
    %p = graph.binary div %e, %t : (tensor<1x8x1x40xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x1x40xf32>
    %y = graph.matmul %p, %v : (tensor<1x8x1x40xf32>, tensor<1x8x40x36xf32>) -> tensor<1x8x1x36xf32>
    graph.yield %y : tensor<1x8x1x36xf32>
  } : (tensor<1x8x1x36xf32>, tensor<1x8x36x40xf32>, tensor<1x8x40x36xf32>) -> tensor<1x8x1x36xf32>
  return %0 : tensor<1x8x1x36xf32>
}

// The scores of all 1500 keys are far from the core, so the keys are divided into equal chunks.
// CHECK-LABEL: @long_keys
// CHECK: config = #kernel.attention<queries = 32, keys = {{[0-9]+}}, chunk = 500,
func.func @long_keys(%a: tensor<1x6x1500x64xf32>, %b: tensor<1x6x64x1500xf32>, %c: tensor<1x6x1500x64xf32>) -> tensor<1x6x1500x64xf32> {
  %0 = graph.kernel %a, %b, %c {
  ^bb0(%q: tensor<1x6x1500x64xf32>, %k: tensor<1x6x64x1500xf32>, %v: tensor<1x6x1500x64xf32>):
    %axes = graph.constant dense<-1> : tensor<1xi64>
    %s = graph.matmul %q, %k : (tensor<1x6x1500x64xf32>, tensor<1x6x64x1500xf32>) -> tensor<1x6x1500x1500xf32>
    %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x6x1500x1500xf32>, tensor<1xi64>) -> tensor<1x6x1500x1xf32>
    %d = graph.binary sub %s, %m : (tensor<1x6x1500x1500xf32>, tensor<1x6x1500x1xf32>) -> tensor<1x6x1500x1500xf32>
    %e = graph.unary exp %d : (tensor<1x6x1500x1500xf32>) -> tensor<1x6x1500x1500xf32>
    %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x6x1500x1500xf32>, tensor<1xi64>) -> tensor<1x6x1500x1xf32>
    %p = graph.binary div %e, %t : (tensor<1x6x1500x1500xf32>, tensor<1x6x1500x1xf32>) -> tensor<1x6x1500x1500xf32>
    %y = graph.matmul %p, %v : (tensor<1x6x1500x1500xf32>, tensor<1x6x1500x64xf32>) -> tensor<1x6x1500x64xf32>
    graph.yield %y : tensor<1x6x1500x64xf32>
  } : (tensor<1x6x1500x64xf32>, tensor<1x6x64x1500xf32>, tensor<1x6x1500x64xf32>) -> tensor<1x6x1500x64xf32>
  return %0 : tensor<1x6x1500x64xf32>
}

// A mask of queries and keys is probably causal, so the kernel can skip chunks. The mask has all queries of a block
// in adjacent elements.
// CHECK-LABEL: @causal_mask
// CHECK: config = #kernel.attention<queries = {{[0-9]+}}, keys = {{[0-9]+}}, chunk = 32,
func.func @causal_mask(%a: tensor<1x12x128x64xf32>, %b: tensor<1x12x64x128xf32>, %c: tensor<1x12x128x64xf32>, %d: tensor<128x128xi1>) -> tensor<1x12x128x64xf32> {
  %0 = graph.kernel %a, %b, %c, %d {
  ^bb0(%q: tensor<1x12x128x64xf32>, %k: tensor<1x12x64x128xf32>, %v: tensor<1x12x128x64xf32>, %mask: tensor<128x128xi1>):
    %axes = graph.constant dense<-1> : tensor<1xi64>
    %low = graph.constant dense<0xFF800000> : tensor<f32>
    %allowed = graph.transpose %mask {perm = array<i64: 1, 0>} : (tensor<128x128xi1>) -> tensor<128x128xi1>
    %x = graph.matmul %q, %k : (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>) -> tensor<1x12x128x128xf32>
    %s = "graph.select"(%allowed, %x, %low) : (tensor<128x128xi1>, tensor<1x12x128x128xf32>, tensor<f32>) -> tensor<1x12x128x128xf32>
    %m = graph.reduce max %s over %axes {keepDims = true} : (tensor<1x12x128x128xf32>, tensor<1xi64>) -> tensor<1x12x128x1xf32>
    %e0 = graph.binary sub %s, %m : (tensor<1x12x128x128xf32>, tensor<1x12x128x1xf32>) -> tensor<1x12x128x128xf32>
    %e = graph.unary exp %e0 : (tensor<1x12x128x128xf32>) -> tensor<1x12x128x128xf32>
    %t = graph.reduce sum %e over %axes {keepDims = true} : (tensor<1x12x128x128xf32>, tensor<1xi64>) -> tensor<1x12x128x1xf32>
    %p = graph.binary div %e, %t : (tensor<1x12x128x128xf32>, tensor<1x12x128x1xf32>) -> tensor<1x12x128x128xf32>
    %y = graph.matmul %p, %v : (tensor<1x12x128x128xf32>, tensor<1x12x128x64xf32>) -> tensor<1x12x128x64xf32>
    graph.yield %y : tensor<1x12x128x64xf32>
  } : (tensor<1x12x128x64xf32>, tensor<1x12x64x128xf32>, tensor<1x12x128x64xf32>, tensor<128x128xi1>) -> tensor<1x12x128x64xf32>
  return %0 : tensor<1x12x128x64xf32>
}
