// RUN: convoy-opt %s -pass-pipeline='builtin.module(func.func(convoy-layout-cancel-concats,convoy-layout-check-layouts))' | FileCheck %s

#blocked = #graph.blocked<c = 8>

// The first result is an operand of the second concatenation: neither copies.
// CHECK-LABEL: func @chain
// CHECK: %[[A:.*]] = graph.kernel %arg0
// CHECK: %[[B:.*]] = graph.kernel %arg0
// CHECK: %[[AB:.*]] = graph.concat %[[A]], %[[B]]
// CHECK: %[[C:.*]] = graph.kernel %arg0
// CHECK: graph.concat %[[AB]], %[[C]]
// CHECK: graph.kernel
// CHECK-NOT: graph.concat
// CHECK: return
func.func @chain(%x: tensor<1x16x4x4xf32>) -> tensor<1x48x4x4xf32> {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %b = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary abs %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %ab = graph.kernel %a, %b {
  ^bb0(%i: tensor<1x16x4x4xf32>, %j: tensor<1x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
  %c = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary neg %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %abc = graph.kernel %ab, %c {
  ^bb0(%i: tensor<1x32x4x4xf32>, %j: tensor<1x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x32x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x48x4x4xf32>
    graph.yield %1 : tensor<1x48x4x4xf32>
  } : (tensor<1x32x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x48x4x4xf32>
  %y = graph.kernel %abc {
  ^bb0(%i: tensor<1x48x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x48x4x4xf32>) -> tensor<1x48x4x4xf32>
    graph.yield %1 : tensor<1x48x4x4xf32>
  } : (tensor<1x48x4x4xf32>) -> tensor<1x48x4x4xf32>
  return %y : tensor<1x48x4x4xf32>
}

// Blocked layout: only the last operand ends inside a block.
// CHECK-LABEL: func @blocks
// CHECK: graph.concat {{.*}} tensor<1x20x4x4xf32, #graph.blocked<c = 8>>
// CHECK-NEXT: graph.kernel
func.func @blocks(%x: tensor<1x8x4x4xf32>, %z: tensor<1x12x4x4xf32>) -> tensor<1x20x4x4xf32> {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x8x4x4xf32>):
    %1 = graph.reorder %i : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #blocked>
    graph.yield %1 : tensor<1x8x4x4xf32, #blocked>
  } : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32, #blocked>
  %b = graph.kernel %z {
  ^bb0(%i: tensor<1x12x4x4xf32>):
    %1 = graph.reorder %i : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32, #blocked>
    graph.yield %1 : tensor<1x12x4x4xf32, #blocked>
  } : (tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32, #blocked>
  %ab = graph.kernel %a, %b {
  ^bb0(%i: tensor<1x8x4x4xf32, #blocked>, %j: tensor<1x12x4x4xf32, #blocked>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x8x4x4xf32, #blocked>, tensor<1x12x4x4xf32, #blocked>) -> tensor<1x20x4x4xf32, #blocked>
    graph.yield %1 : tensor<1x20x4x4xf32, #blocked>
  } : (tensor<1x8x4x4xf32, #blocked>, tensor<1x12x4x4xf32, #blocked>) -> tensor<1x20x4x4xf32, #blocked>
  %y = graph.kernel %ab {
  ^bb0(%i: tensor<1x20x4x4xf32, #blocked>):
    %1 = graph.reorder %i : (tensor<1x20x4x4xf32, #blocked>) -> tensor<1x20x4x4xf32>
    graph.yield %1 : tensor<1x20x4x4xf32>
  } : (tensor<1x20x4x4xf32, #blocked>) -> tensor<1x20x4x4xf32>
  return %y : tensor<1x20x4x4xf32>
}

// The operands of two images alternate in memory, so they are not adjacent.
// CHECK-LABEL: func @batch
// CHECK: graph.kernel
// CHECK: ^bb0
// CHECK: graph.concat
// CHECK-NEXT: graph.yield
func.func @batch(%x: tensor<2x16x4x4xf32>) -> tensor<2x32x4x4xf32> {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<2x16x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    graph.yield %1 : tensor<2x16x4x4xf32>
  } : (tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
  %b = graph.kernel %x {
  ^bb0(%i: tensor<2x16x4x4xf32>):
    %1 = graph.unary abs %i : (tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
    graph.yield %1 : tensor<2x16x4x4xf32>
  } : (tensor<2x16x4x4xf32>) -> tensor<2x16x4x4xf32>
  %ab = graph.kernel %a, %b {
  ^bb0(%i: tensor<2x16x4x4xf32>, %j: tensor<2x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x32x4x4xf32>
    graph.yield %1 : tensor<2x32x4x4xf32>
  } : (tensor<2x16x4x4xf32>, tensor<2x16x4x4xf32>) -> tensor<2x32x4x4xf32>
  %y = graph.kernel %ab {
  ^bb0(%i: tensor<2x32x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<2x32x4x4xf32>) -> tensor<2x32x4x4xf32>
    graph.yield %1 : tensor<2x32x4x4xf32>
  } : (tensor<2x32x4x4xf32>) -> tensor<2x32x4x4xf32>
  return %y : tensor<2x32x4x4xf32>
}

// The caller places the input in memory.
// CHECK-LABEL: func @input
// CHECK: graph.kernel
// CHECK: ^bb0
// CHECK: graph.concat
// CHECK-NEXT: graph.yield
func.func @input(%x: tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32> {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %ab = graph.kernel %a, %x {
  ^bb0(%i: tensor<1x16x4x4xf32>, %j: tensor<1x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
  %y = graph.kernel %ab {
  ^bb0(%i: tensor<1x32x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  return %y : tensor<1x32x4x4xf32>
}

// The caller places the output in memory.
// CHECK-LABEL: func @output
// CHECK: graph.kernel
// CHECK: ^bb0
// CHECK: graph.concat
// CHECK-NEXT: graph.yield
func.func @output(%x: tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32> {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %b = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary abs %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %ab = graph.kernel %a, %b {
  ^bb0(%i: tensor<1x16x4x4xf32>, %j: tensor<1x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
  return %ab : tensor<1x32x4x4xf32>
}

// One tensor cannot be in two places: the later concatenation takes it.
// CHECK-LABEL: func @shared
// CHECK: graph.kernel
// CHECK: graph.kernel
// CHECK: graph.kernel
// CHECK: ^bb0
// CHECK: graph.concat
// CHECK: graph.yield
// CHECK: graph.kernel
// CHECK: graph.yield
// CHECK: = graph.concat %{{[0-9]+}}, %{{[0-9]+}}
func.func @shared(%x: tensor<1x16x4x4xf32>) -> (tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>) {
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %b = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary abs %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %ab = graph.kernel %a, %b {
  ^bb0(%i: tensor<1x16x4x4xf32>, %j: tensor<1x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
  %c = graph.kernel %x {
  ^bb0(%i: tensor<1x16x4x4xf32>):
    %1 = graph.unary neg %i : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    graph.yield %1 : tensor<1x16x4x4xf32>
  } : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %ac = graph.kernel %a, %c {
  ^bb0(%i: tensor<1x16x4x4xf32>, %j: tensor<1x16x4x4xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x32x4x4xf32>
  %y = graph.kernel %ab {
  ^bb0(%i: tensor<1x32x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  %z = graph.kernel %ac {
  ^bb0(%i: tensor<1x32x4x4xf32>):
    %1 = graph.unary relu %i : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
    graph.yield %1 : tensor<1x32x4x4xf32>
  } : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32>
  return %y, %z : tensor<1x32x4x4xf32>, tensor<1x32x4x4xf32>
}

// Views of tensors that kernels compute can be operands too.
// CHECK-LABEL: func @views
// CHECK: graph.concat {{.*}} -> tensor<1x9x8xf32>
// CHECK-NEXT: graph.kernel
func.func @views(%x: tensor<1x8xf32>, %z: tensor<8x8xf32>) -> tensor<1x9x8xf32> {
  %one = graph.constant dense<[1, 1, 8]> : tensor<3xi64>
  %stack = graph.constant dense<[1, 8, 8]> : tensor<3xi64>
  %a = graph.kernel %x {
  ^bb0(%i: tensor<1x8xf32>):
    %1 = graph.unary relu %i : (tensor<1x8xf32>) -> tensor<1x8xf32>
    graph.yield %1 : tensor<1x8xf32>
  } : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %a3 = graph.reshape %a, %one : (tensor<1x8xf32>, tensor<3xi64>) -> tensor<1x1x8xf32>
  %b = graph.kernel %z {
  ^bb0(%i: tensor<8x8xf32>):
    %1 = graph.unary abs %i : (tensor<8x8xf32>) -> tensor<8x8xf32, #blocked>
    graph.yield %1 : tensor<8x8xf32, #blocked>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32, #blocked>
  %b2 = graph.reorder %b : (tensor<8x8xf32, #blocked>) -> tensor<8x8xf32>
  %b3 = graph.reshape %b2, %stack : (tensor<8x8xf32>, tensor<3xi64>) -> tensor<1x8x8xf32>
  %ab = graph.kernel %a3, %b3 {
  ^bb0(%i: tensor<1x1x8xf32>, %j: tensor<1x8x8xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x1x8xf32>, tensor<1x8x8xf32>) -> tensor<1x9x8xf32>
    graph.yield %1 : tensor<1x9x8xf32>
  } : (tensor<1x1x8xf32>, tensor<1x8x8xf32>) -> tensor<1x9x8xf32>
  %y = graph.kernel %ab {
  ^bb0(%i: tensor<1x9x8xf32>):
    %1 = graph.unary relu %i : (tensor<1x9x8xf32>) -> tensor<1x9x8xf32>
    graph.yield %1 : tensor<1x9x8xf32>
  } : (tensor<1x9x8xf32>) -> tensor<1x9x8xf32>
  return %y : tensor<1x9x8xf32>
}

// Two views of one tensor: the tensor cannot be in two places.
// CHECK-LABEL: func @views_of_one
// CHECK: graph.kernel
// CHECK: ^bb0
// CHECK: graph.concat
// CHECK-NEXT: graph.yield
func.func @views_of_one(%x: tensor<8x8xf32>) -> tensor<1x16x8xf32> {
  %stack = graph.constant dense<[1, 8, 8]> : tensor<3xi64>
  %a = graph.kernel %x {
  ^bb0(%i: tensor<8x8xf32>):
    %1 = graph.unary relu %i : (tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %a3 = graph.reshape %a, %stack : (tensor<8x8xf32>, tensor<3xi64>) -> tensor<1x8x8xf32>
  %b3 = graph.reshape %a, %stack : (tensor<8x8xf32>, tensor<3xi64>) -> tensor<1x8x8xf32>
  %ab = graph.kernel %a3, %b3 {
  ^bb0(%i: tensor<1x8x8xf32>, %j: tensor<1x8x8xf32>):
    %1 = graph.concat %i, %j {axis = 1 : i64} : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x16x8xf32>
    graph.yield %1 : tensor<1x16x8xf32>
  } : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x16x8xf32>
  %y = graph.kernel %ab {
  ^bb0(%i: tensor<1x16x8xf32>):
    %1 = graph.unary relu %i : (tensor<1x16x8xf32>) -> tensor<1x16x8xf32>
    graph.yield %1 : tensor<1x16x8xf32>
  } : (tensor<1x16x8xf32>) -> tensor<1x16x8xf32>
  return %y : tensor<1x16x8xf32>
}
