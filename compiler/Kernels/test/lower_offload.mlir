// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-lower-offload)' | FileCheck %s

// CHECK: task.programs = [dense<7> : tensor<4xui8>]
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %p = graph.constant dense<7> : tensor<4xui8>
    // CHECK: task.run @relu_0(%{{.*}}, %{{.*}})
    %y = task.run @relu_0(%p, %x) : (tensor<4xui8>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
  // CHECK: task.kernel @relu_0(%{{.*}}: memref<4xi8>, %[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[S:.*]]: memref<1xi32>, %{{.*}}: index, %{{.*}}: index)
  // CHECK-SAME: may_fail, {{.*}}range = 1 : i64
  // CHECK: task.offload 0(%[[X]]) to(%[[Y]]) status %[[S]]
  task.kernel @relu_0(%p: tensor<4xui8>, %a: tensor<4xf32>) -> tensor<4xf32> attributes {config = #kernel.offload<device = "d", program = true>} {
    %0 = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
    task.return %0 : tensor<4xf32>
  }
}

// -----

module {
  // expected-error@+1 {{runs on 'd', but has no program; run the device stage, which compiles it}}
  task.kernel @relu_0(%a: tensor<4xf32>) -> tensor<4xf32> attributes {config = #kernel.offload<device = "d">} {
    %0 = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
    task.return %0 : tensor<4xf32>
  }
}
