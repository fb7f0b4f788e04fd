// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-outline-split-kernels)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-outline-split-kernels{probes=true})' | FileCheck %s --check-prefix=PROBES

// The number of a run is its index in execution order; it survives memory planning (plan_attribute.mlir).
// PROBES: task.run @unary_0(%arg0) {task.probe = 0 : i64}
// PROBES: task.run @unary_0({{.*}}) {task.probe = 1 : i64}
// PROBES: task.run @unary_1(%arg1) {task.probe = 2 : i64}

// Equal kernels on different operands share one function; a kernel with another shape is a separate
// function.
// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = task.run @unary_0(%arg0)
// CHECK: %[[B:.*]] = task.run @unary_0(%[[A]])
// CHECK: task.run @unary_1(%arg1)
// CHECK: task.kernel @unary_0(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK: graph.unary relu
// CHECK: return
// CHECK: task.kernel @unary_1(%{{.*}}: tensor<8xf32>) -> tensor<8xf32>
func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    %3 = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.kernel %0 {
  ^bb0(%b: tensor<4xf32>):
    %4 = graph.unary relu %b : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %4 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.kernel %y {
  ^bb0(%c: tensor<8xf32>):
    %5 = graph.unary relu %c : (tensor<8xf32>) -> tensor<8xf32>
    graph.yield %5 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<4xf32>, tensor<8xf32>
}
