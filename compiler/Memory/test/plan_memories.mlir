// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=8 memories=tcm:400,sram:0 copies-weights=true})' | FileCheck %s
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=8 memories=tcm})' 2>&1 | FileCheck %s --check-prefix=ERROR

// The fast memory has 400 bytes: 104 for the input, 24 for the output and 8 for the status cell.
// The tensor of 300 bytes does not fit in the rest, the tensor of 200 bytes does. The constant of
// 40 bytes fits in the remaining 64 bytes; the constant of 100 bytes does not.
// CHECK: memory.arena_bytes = 208 : i64
// CHECK-SAME: memory.arenas = [{bytes = 208 : i64, memory = "tcm"}, {bytes = 300 : i64, memory = "sram"}]
// CHECK-SAME: memory.copied_weights = array<i64: 100>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg2: memref<208xi8> {memory.role = "arena"}, %arg3: memref<300xi8> {memory.role = "arena"}, %arg4: memref<140xi8> {memory.role = "weights"}
// CHECK: %[[LARGE:.*]] = memref.view %arg3[%c0
// CHECK: task.call @first(%arg0, %{{.*}}, %[[LARGE]]
// CHECK: %[[SMALL:.*]] = memref.view %arg2[%c8
// CHECK: task.call @second(%{{.*}}, %{{.*}}, %[[SMALL]]

// ERROR: expects memories as NAME:BYTES, got 'tcm'
func.func @main(%x: tensor<100xi8>) -> tensor<20xi8> {
  %w = graph.constant dense<1> : tensor<100xi8>
  %v = graph.constant dense<2> : tensor<40xi8>
  %0 = task.run @first(%x, %w) : (tensor<100xi8>, tensor<100xi8>) -> tensor<300xi8>
  %1 = task.run @second(%0, %v) : (tensor<300xi8>, tensor<40xi8>) -> tensor<200xi8>
  %2 = task.run @third(%1) : (tensor<200xi8>) -> tensor<20xi8>
  return %2 : tensor<20xi8>
}
task.kernel @first(%a: memref<100xi8>, %w: memref<100xi8>, %b: memref<300xi8>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @second(%a: memref<300xi8>, %w: memref<40xi8>, %b: memref<200xi8>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @third(%a: memref<200xi8>, %b: memref<20xi8>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
