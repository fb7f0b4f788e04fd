// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena)' | FileCheck %s

// The operands of the concatenation are views, and their tensors are stored in the whole.
// Another view of the second part is returned, so its output is a copy.
// CHECK: memory.arena_bytes = 192
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref.view %arg3[%c64{{.*}} memref<16xf32>
// CHECK: task.call @unary_0(%arg0, %[[A]]
// CHECK: %[[B:.*]] = memref.view %arg3[%c128{{.*}} memref<16xf32>
// CHECK: task.call @unary_0({{.*}}, %[[B]]
// CHECK: %[[WHOLE:.*]] = memref.view %arg3[%c64{{.*}} memref<32xf32>
// CHECK: task.call @unary_1(%[[WHOLE]], %arg1
// CHECK: %[[PART:.*]] = memref.view %arg3[%c128{{.*}} memref<16xf32>
// CHECK: memref.copy %[[PART]], %arg2
// CHECK-NOT: memref.copy
func.func @main(%x: tensor<4x4xf32>) -> (tensor<1x8x4xf32>, tensor<16xf32>) {
  %stack = graph.constant dense<[1, 4, 4]> : tensor<3xi64>
  %flat = graph.constant dense<[16]> : tensor<1xi64>
  %0 = task.run @unary_0(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.reshape %0, %stack : (tensor<4x4xf32>, tensor<3xi64>) -> tensor<1x4x4xf32>
  %2 = task.run @unary_0(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.reshape %2, %stack : (tensor<4x4xf32>, tensor<3xi64>) -> tensor<1x4x4xf32>
  %4 = graph.concat %1, %3 {axis = 1 : i64} : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  %5 = task.run @unary_1(%4) : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %6 = graph.reshape %2, %flat : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<16xf32>
  return %5, %6 : tensor<1x8x4xf32>, tensor<16xf32>
}
task.kernel @unary_0(%a: memref<16xf32>, %b: memref<16xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @unary_1(%a: memref<32xf32>, %b: memref<32xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
