// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-place-split-regions{device=example:type=float16}))' | FileCheck %s

// The region takes and returns f16; the ops inside are unchanged.
// CHECK-LABEL: @border_is_cast
func.func @border_is_cast(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: %[[N:.*]] = graph.cast %arg0 {to = f16}
  // CHECK: %[[K:.*]] = graph.kernel %[[N]] {
  // CHECK: ^bb0(%[[A:.*]]: tensor<1x2x3x3xf16>):
  // CHECK: %[[W:.*]] = graph.cast %[[A]] {to = f32}
  // CHECK: graph.binary add %[[W]], %[[W]] : (tensor<1x2x3x3xf32>
  // CHECK: %[[R:.*]] = graph.cast %{{.*}} {to = f16}
  // CHECK: graph.yield %[[R]] : tensor<1x2x3x3xf16>
  // CHECK: config = #kernel.offload<device = "example:type=float16">
  // CHECK: %[[Y:.*]] = graph.cast %[[K]] {to = f32}
  // CHECK: return %[[Y]]
  %0 = graph.binary add %x, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @regions_pass_their_own_type_on
func.func @regions_pass_their_own_type_on(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: %[[A:.*]] = graph.kernel
  %0 = graph.binary add %x, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // CHECK: %[[W:.*]] = graph.cast %[[A]] {to = f32}
  // CHECK: %[[E:.*]] = graph.unary erf %[[W]]
  // expected-remark@+1 {{stays on the CPU: convcore has no op for erf}}
  %1 = graph.unary erf %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // CHECK: %[[N:.*]] = graph.cast %[[E]] {to = f16}
  // CHECK: graph.kernel %[[A]], %[[N]]
  %2 = graph.binary mul %0, %1 : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}

// -----

// The pass removes casts between two regions.
// CHECK-LABEL: @no_cast_between_regions
func.func @no_cast_between_regions(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK-DAG: %[[A:.*]] = graph.kernel %{{[^,]*}} {
  // CHECK-DAG: graph.unary erf %arg0
  // CHECK-NOT: graph.cast %[[A]]
  // CHECK: %[[K:.*]] = graph.kernel %[[A]], %{{.*}} {
  // CHECK: %[[Y:.*]] = graph.cast %[[K]] {to = f32}
  // CHECK: return %[[Y]]
  %0 = graph.binary add %x, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // expected-remark@+1 {{stays on the CPU: convcore has no op for erf}}
  %1 = graph.unary erf %x : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.binary mul %0, %1 : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}
