// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena)' | FileCheck %s

// Parts are stored inside the whole, also parts of parts; concatenations generate no code.
// The whole is live from the write of its first part, so the scratch tensor %s cannot use
// its bytes: 192 + 64 bytes after the status line.
// CHECK: memory.arena_bytes = 320
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref.view %arg2[%c64{{.*}} memref<16xf32>
// CHECK: task.call @unary_0(%arg0, %[[A]]
// CHECK: %[[B:.*]] = memref.view %arg2[%c128{{.*}} memref<16xf32>
// CHECK: task.call @unary_0({{.*}}, %[[B]]
// CHECK: memref.view %arg2[%c128
// CHECK: %[[S:.*]] = memref.view %arg2[%c256{{.*}} memref<16xf32>
// CHECK: task.call @unary_0({{.*}}, %[[S]]
// CHECK: %[[C:.*]] = memref.view %arg2[%c192{{.*}} memref<16xf32>
// CHECK: task.call @unary_0({{.*}}, %[[C]]
// CHECK-NOT: memref.copy
// CHECK: %[[WHOLE:.*]] = memref.view %arg2[%c64{{.*}} memref<48xf32>
// CHECK: task.call @unary_1(%[[WHOLE]], %arg1
func.func @main(%x: tensor<1x16xf32>) -> tensor<1x48xf32> {
  %a = task.run @unary_0(%x) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %b = task.run @unary_0(%a) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %ab = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x32xf32>
  %s = task.run @unary_0(%b) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %c = task.run @unary_0(%s) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %abc = graph.concat %ab, %c {axis = 1 : i64} : (tensor<1x32xf32>, tensor<1x16xf32>) -> tensor<1x48xf32>
  %y = task.run @unary_1(%abc) : (tensor<1x48xf32>) -> tensor<1x48xf32>
  return %y : tensor<1x48xf32>
}
task.kernel @unary_0(%a: memref<16xf32>, %b: memref<16xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @unary_1(%a: memref<48xf32>, %b: memref<48xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
