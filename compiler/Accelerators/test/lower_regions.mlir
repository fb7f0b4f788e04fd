// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-accelerators-lower-regions)' | FileCheck %s

// The pass keeps the body and adds the program as first operand.
// CHECK-LABEL: @region_gets_its_program
func.func @region_gets_its_program(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: %[[P:.*]] = graph.constant {{.*}}ui8>
  // CHECK: graph.kernel %[[P]], %arg0
  // CHECK: graph.unary relu
  // CHECK: config = #kernel.offload<device = "example", program = true>
  %y = graph.kernel %x {
  ^bb0(%a: tensor<1x2x3x3xf32>):
    %0 = graph.binary add %a, %a : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    %1 = graph.unary relu %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    graph.yield %1 : tensor<1x2x3x3xf32>
  } {config = #kernel.offload<device = "example">} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}

// -----

func.func @no_such_device(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unknown device 'nothing'}}
  %y = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } {config = #kernel.offload<device = "nothing">} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    // expected-error@+1 {{was placed on a device, but cannot be lowered to convcore: convcore has no op for erf; this is a bug in convoy}}
    %0 = graph.unary erf %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } {config = #kernel.offload<device = "example">} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
