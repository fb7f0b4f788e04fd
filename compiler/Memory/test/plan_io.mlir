// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=8})' | FileCheck %s

// The second result takes the bytes of the input, because the input is live only in the first run.
// The arena is 8 bytes for the status cell and two tensors of 100 and 104 bytes. It ends with the
// last byte of a tensor.
// CHECK: memory.alignment = 8 : i64, memory.arena_bytes = 212 : i64
// CHECK-SAME: memory.peak = {bytes = 200 : i64, node = "task.run"}
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: {{[^%]*}}memory.offset = 8 : i64, memory.role = "input"}
// CHECK-SAME: %arg1: {{[^%]*}}memory.offset = 8 : i64, memory.role = "output"}
// CHECK: %[[INPUT:.*]] = memref.view %arg2[%c8
// CHECK: %[[FIRST:.*]] = memref.view %arg2[%c112
// CHECK: task.call @unary_0(%[[INPUT]], %[[FIRST]]
// CHECK: %[[OUTPUT:.*]] = memref.view %arg2[%c8
// CHECK: task.call @unary_0({{.*}}, %[[OUTPUT]]
// CHECK-NOT: memref.copy
func.func @main(%x: tensor<100xi8> {task.in_arena}) -> (tensor<100xi8> {task.in_arena}) {
  %0 = task.run @unary_0(%x) : (tensor<100xi8>) -> tensor<100xi8>
  %1 = task.run @unary_0(%0) : (tensor<100xi8>) -> tensor<100xi8>
  return %1 : tensor<100xi8>
}
task.kernel @unary_0(%a: memref<100xi8>, %b: memref<100xi8>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}

// -----

// A returned input stays in place, also if it is returned twice. A constant is copied.
// CHECK: memory.arena_bytes = 20
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: {{[^%]*}}memory.offset = 16 : i64, memory.role = "input"}
// CHECK-SAME: %arg1: {{[^%]*}}memory.offset = 16 : i64, memory.role = "output"}
// CHECK-SAME: %arg2: {{[^%]*}}memory.offset = 16 : i64, memory.role = "output"}
// CHECK-SAME: %arg3: {{[^%]*}}memory.offset = 8 : i64, memory.role = "output"}
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<8xi8> to memref<8xi8>
// CHECK-NOT: memref.copy
func.func @main(%x: tensor<4xi8> {task.in_arena})
    -> (tensor<4xi8> {task.in_arena}, tensor<4xi8> {task.in_arena}, tensor<8xi8> {task.in_arena}) {
  %0 = graph.constant dense<7> : tensor<8xi8>
  return %x, %x, %0 : tensor<4xi8>, tensor<4xi8>, tensor<8xi8>
}
