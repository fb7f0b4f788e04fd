// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena{reuse=false})' | FileCheck %s --check-prefix=APART

// The addition is the last use of %1, so the sum takes its place. %2 is read again, and
// %3 + %3 would read elements that it has already written.
// CHECK: memory.arena_bytes = 256
// APART: memory.arena_bytes = 384
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref.view %arg2[%c64{{.*}}
// CHECK: task.call @unary_0(%arg0, %[[A]]
// CHECK: %[[B:.*]] = memref.view %arg2[%c128{{.*}}
// CHECK: task.call @unary_0({{.*}}, %[[B]]
// CHECK: %[[ADDED:.*]] = memref.view %arg2[%[[AT:c64.*]]][]
// CHECK: %[[SUM:.*]] = memref.view %arg2[%c64{{.*}}
// CHECK: task.call @conv_0({{.*}}, %[[ADDED]], %[[SUM]]
// CHECK: %[[OTHER:.*]] = memref.view %arg2[%c192{{.*}}
// CHECK: task.call @conv_0({{.*}}, %[[OTHER]]
// CHECK: task.call @conv_0({{.*}}, %arg1
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %1 = task.run @unary_0(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %2 = task.run @unary_0(%1) : (tensor<16xf32>) -> tensor<16xf32>
  %3 = task.run @conv_0(%2, %1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %4 = task.run @conv_0(%3, %2) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %5 = task.run @conv_0(%4, %4) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %6 = task.run @conv_0(%5, %2) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %6 : tensor<16xf32>
}
task.kernel @unary_0(%a: memref<16xf32>, %b: memref<16xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @conv_0(%a: memref<16xf32>, %b: memref<16xf32>, %c: memref<16xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64, in_place = array<i64: 1, 2>} {
  task.return
}
