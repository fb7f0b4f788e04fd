// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-memory-plan-arena)' | FileCheck %s

// Three tensors of 4096 bytes between four runs. For whole runs, two places would be
// sufficient. The middle two runs execute band by band, so all their tensors are live at
// the same time: three places and the status line. Calls keep their bands for the schedule.
// CHECK: memory.arena_bytes = 12352
// CHECK-LABEL: func.func @main
// CHECK: call @unary_0(%arg0, %{{.*}}) : memref
// CHECK: call @unary_0(%{{.*}}) {bands = #task.bands<group = 0, ends = [32, 64], savedNs = 0.000000e+00 : f64>}
// CHECK: call @unary_0(%{{.*}}) {bands = #task.bands<group = 0, ends = [31, 64], savedNs = 0.000000e+00 : f64>}
// CHECK: call @unary_0(%{{.*}}) : memref
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = task.run @unary_0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = task.run @unary_0(%0) {bands = #task.bands<group = 0, ends = [32, 64], savedNs = 0.0 : f64>}
      : (tensor<1024xf32>) -> tensor<1024xf32>
  %2 = task.run @unary_0(%1) {bands = #task.bands<group = 0, ends = [31, 64], savedNs = 0.0 : f64>}
      : (tensor<1024xf32>) -> tensor<1024xf32>
  %3 = task.run @unary_0(%2) : (tensor<1024xf32>) -> tensor<1024xf32>
  return %3 : tensor<1024xf32>
}
task.kernel @unary_0(%a: memref<1024xf32>, %b: memref<1024xf32>, %begin: index, %end: index)
    attributes {range = 64 : i64} {
  task.return
}
