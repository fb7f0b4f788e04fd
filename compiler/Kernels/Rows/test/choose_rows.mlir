// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefixes=CHECK,FAST
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefixes=CHECK,STRICT

// A row of 8 vectors is short, so a step takes four rows. Strict math adds in f64.
// CHECK-LABEL: func @short_rows
// FAST: config = #kernel.rows<rows = 4, vectors = 1, terms = 64>
// STRICT: config = #kernel.rows<rows = 4, vectors = 1, terms = 1>
func.func @short_rows(%x: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<96x128xf32>):
    %axis = graph.constant dense<1> : tensor<1xi64>
    %1 = graph.reduce mean %a over %axis {keepDims = true} : (tensor<96x128xf32>, tensor<1xi64>) -> tensor<96x1xf32>
    %2 = graph.binary sub %a, %1 : (tensor<96x128xf32>, tensor<96x1xf32>) -> tensor<96x128xf32>
    graph.yield %2 : tensor<96x128xf32>
  } : (tensor<96x128xf32>) -> tensor<96x128xf32>
  return %0 : tensor<96x128xf32>
}

// The number of rows is odd.
// CHECK-LABEL: func @odd_rows
// FAST: config = #kernel.rows<rows = 1, vectors = 4, terms = 64>
func.func @odd_rows(%x: tensor<7x1024xf32>) -> tensor<7xf32> {
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<7x1024xf32>):
    %axis = graph.constant dense<1> : tensor<1xi64>
    %1 = graph.reduce max %a over %axis {keepDims = false} : (tensor<7x1024xf32>, tensor<1xi64>) -> tensor<7xf32>
    graph.yield %1 : tensor<7xf32>
  } : (tensor<7x1024xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// Lanes along columns need no template.
// CHECK-LABEL: func @columns
// CHECK-NOT: config
func.func @columns(%x: tensor<96x128xf32>) -> tensor<1x128xf32> {
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<96x128xf32>):
    %axis = graph.constant dense<0> : tensor<1xi64>
    %1 = graph.reduce sum %a over %axis {keepDims = true} : (tensor<96x128xf32>, tensor<1xi64>) -> tensor<1x128xf32>
    graph.yield %1 : tensor<1x128xf32>
  } : (tensor<96x128xf32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}
