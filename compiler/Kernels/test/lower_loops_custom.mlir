// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},convoy-kernels-lower-loops)' | FileCheck %s

// The call is one step. A constant of one element is in the frame of the kernel, and a result that
// nothing reads is in the scratch memory.
// CHECK-LABEL: task.kernel @a_call_is_one_step
// CHECK-SAME: (%[[X:.*]]: memref<12xf32>, %[[Y:.*]]: memref<24xf32>, %[[S:.*]]: memref<1xi32>, %[[SCRATCH:.*]]: memref<64xi8>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: may_fail, {{.*}}range = 1 : i64, scratch = 64 : i64
// CHECK: %[[K:.*]] = memref.alloca() : memref<1xi64>
// CHECK: memref.store %c2_i64, %[[K]]
// CHECK: %[[Z:.*]] = memref.view %[[SCRATCH]][%{{.*}}][] : memref<64xi8> to memref<5xi8>
// CHECK: task.call_custom "f"(%[[X]], %[[K]]) to(%[[Z]], %[[Y]]) status %[[S]]
// The estimate without declared operations is one cycle per element.
// CHECK-SAME: cycles = 42 : i64, elementTypes = array<i32: 1, 7, 9, 1>, parameters = [3, "a"],
// CHECK-SAME: shapes = [array<i64: 3, 4>, array<i64>, array<i64: 5>, array<i64: 3, 8>]
// CHECK-NEXT: task.return
task.kernel @a_call_is_one_step(%x: tensor<3x4xf32>) -> tensor<3x8xf32> {
  %k = graph.constant dense<2> : tensor<i64>
  %0:2 = graph.custom %x, %k {
    op = "com.example.Op", function = "f", inputNames = ["x", "k"], parameterNames = ["a", "b"],
    parameterValues = [3 : i64, "a"], resultTypes = ["bool", "x"], resultShapes = [["5"], ["3", "8"]]
  } : (tensor<3x4xf32>, tensor<i64>) -> (tensor<5xi1>, tensor<3x8xf32>)
  task.return %0#1 : tensor<3x8xf32>
}

// -----

// An empty result that nothing reads has scratch memory of its own.
// CHECK-LABEL: task.kernel @an_empty_result_has_memory
// CHECK-SAME: (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[S:.*]]: memref<1xi32>, %[[SCRATCH:.*]]: memref<64xi8>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: scratch = 64 : i64
// CHECK: %[[Z:.*]] = memref.view %[[SCRATCH]][%{{.*}}][] : memref<64xi8> to memref<0xf32>
// CHECK: task.call_custom "f"(%[[X]]) to(%[[Y]], %[[Z]]) status %[[S]]
task.kernel @an_empty_result_has_memory(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = graph.custom %x {
    op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [], parameterValues = [],
    resultTypes = ["x", "x"], resultShapes = ["x", ["0"]]
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<0xf32>)
  task.return %0#0 : tensor<4xf32>
}

// -----

task.kernel @a_call_joins_no_other_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{is in a kernel with other ops, expected a kernel of its own}}
  %1 = graph.custom %0 {
    op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [], parameterValues = [],
    resultTypes = ["x"], resultShapes = ["x"]
  } : (tensor<4xf32>) -> tensor<4xf32>
  task.return %1 : tensor<4xf32>
}

// -----

task.kernel @a_constant_has_one_element() -> tensor<4xf32> {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // expected-error@+1 {{has an input that is neither an operand of the kernel nor a constant of one element}}
  %1 = graph.custom %0 {
    op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [], parameterValues = [],
    resultTypes = ["x"], resultShapes = ["x"]
  } : (tensor<4xf32>) -> tensor<4xf32>
  task.return %1 : tensor<4xf32>
}
