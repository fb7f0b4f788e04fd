// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-accelerators-insert-layers)' | FileCheck %s

// Weights are fused in f32 and rounded once to 1.0009765625, the next f16 after 1. Each factor alone is a
// tie between the two numbers and would round to 1.
// CHECK-LABEL: @layers_are_of_the_device
func.func @layers_are_of_the_device(%x: tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16> {
  // CHECK-NOT: graph.kernel
  // CHECK-DAG: %[[W:.*]] = graph.constant dense<1.000980e+00> : tensor<1x1x1x1xf16>
  // CHECK-DAG: %[[B:.*]] = graph.constant dense<0.000000e+00> : tensor<1xf16>
  // CHECK: %[[Y:.*]] = convcore.conv %arg0, %[[W]], %[[B]]
  // CHECK-SAME: activation = #convcore.act<relu>
  // CHECK-SAME: -> tensor<1x1x2x2xf16>
  // CHECK-NOT: convcore.convert
  // CHECK: return %[[Y]]
  %y = graph.kernel %x {
  ^bb0(%a: tensor<1x1x2x2xf16>):
    %w = graph.constant dense<1.00048828125> : tensor<1x1x1x1xf32>
    %s = graph.constant dense<1.00048828125> : tensor<1x1x1x1xf32>
    %0 = graph.cast %a {to = f32} : (tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf32>
    %1 = graph.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
    %2 = graph.binary mul %1, %s : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
    %3 = graph.unary relu %2 : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
    %4 = graph.cast %3 {to = f16} : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf16>
    graph.yield %4 : tensor<1x1x2x2xf16>
  } {config = #kernel.offload<device = "example:type=float16">} : (tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16>
  return %y : tensor<1x1x2x2xf16>
}

// -----

// A device that computes in f32 needs no narrowing.
// CHECK-LABEL: @f32_stays
func.func @f32_stays(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: convcore.eltwise %arg0, %arg0
  // CHECK-SAME: -> tensor<1x2x3x3xf32>
  %y = graph.kernel %x {
  ^bb0(%a: tensor<1x2x3x3xf32>):
    %0 = graph.binary add %a, %a : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    graph.yield %0 : tensor<1x2x3x3xf32>
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
