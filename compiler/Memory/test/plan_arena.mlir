// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena{reuse=false})' | FileCheck %s --check-prefix=APART

// Three tensors of 4096 bytes between input and output, of which two are live at the same
// time: the arena has two places and the status line.
// CHECK: memory.arena_bytes = 8256
// APART: memory.arena_bytes = 12352
// CHECK-LABEL: func.func @main
// CHECK-SAME: memory.role = "input"
// CHECK-SAME: memory.role = "output"
// CHECK-SAME: memory.role = "arena"
// CHECK-SAME: memory.role = "weights"
// CHECK-SAME: -> i32
// CHECK: task.call @unary_0(%arg0
// CHECK: task.call @unary_0({{.*}}, %arg1, {{.*}})
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = task.run @unary_0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = task.run @unary_0(%0) : (tensor<1024xf32>) -> tensor<1024xf32>
  %2 = task.run @unary_0(%1) : (tensor<1024xf32>) -> tensor<1024xf32>
  %3 = task.run @unary_0(%2) : (tensor<1024xf32>) -> tensor<1024xf32>
  return %3 : tensor<1024xf32>
}
task.kernel @unary_0(%a: memref<1024xf32>, %b: memref<1024xf32>, %begin: index, %end: index)
    attributes {range = 64 : i64} {
  task.return
}
