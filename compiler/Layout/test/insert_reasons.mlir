// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine,convoy-layout-insert-reasons,convoy-outline-split-kernels)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine,convoy-layout-insert-reasons{measured=true})' | FileCheck %s --check-prefix=MEASURED

// Each template has a reason, in the order of the table. The run keeps the reasons of its kernel.
// CHECK-LABEL: func.func @main
// CHECK: task.run @unary_0(%arg0) {layout.reasons = {refusals = [{reason = "{{[^"]+}}", template = "{{[a-z_]+}}"}, {{.*}}], remark = ""}}
// MEASURED: layout.reasons = {refusals = [{reason = "{{[^"]+}}", template = "{{[a-z_]+}}"}
func.func @main(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %y = graph.kernel %x {
  ^bb0(%a: tensor<4x9xf32>):
    %0 = graph.unary relu %a : (tensor<4x9xf32>) -> tensor<4x9xf32>
    graph.yield %0 : tensor<4x9xf32>
  } : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}
