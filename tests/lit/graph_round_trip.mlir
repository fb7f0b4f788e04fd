// RUN: convoy-opt %s | convoy-opt | FileCheck %s
// RUN: convoy-opt %s -emit-bytecode | convoy-opt | FileCheck %s

// Text and bytecode preserve the ops, kinds, element types and layouts of the dialect.

// CHECK-LABEL: func.func @kinds_are_keywords
func.func @kinds_are_keywords(%x: tensor<1x8xf32>, %y: tensor<8xf32>) -> tensor<1x8xf32> {
  // CHECK: graph.unary relu %{{.*}} : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %0 = graph.unary relu %x : (tensor<1x8xf32>) -> tensor<1x8xf32>
  // CHECK: graph.binary add %{{.*}}, %{{.*}} : (tensor<1x8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
  %1 = graph.binary add %0, %y : (tensor<1x8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @unsigned_is_spelled_out
// CHECK-SAME: tensor<4xui8>
// CHECK-SAME: tensor<4x!graph.f4E2M1>
func.func @unsigned_is_spelled_out(%a: tensor<4xui8>, %b: tensor<4x!graph.f4E2M1>) {
  return
}

// CHECK-LABEL: func.func @layout_is_an_encoding
// CHECK-SAME: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
func.func @layout_is_an_encoding(%a: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>) {
  return
}
