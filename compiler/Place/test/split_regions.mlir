// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-place-split-regions{device=example}))' | FileCheck %s

// CHECK-LABEL: @the_rest_stays_on_the_cpu
func.func @the_rest_stays_on_the_cpu(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: %[[A:.*]] = graph.kernel %arg0
  // CHECK: graph.binary add
  // CHECK: graph.unary relu
  // CHECK: config = #kernel.offload<device = "example">
  %0 = graph.binary add %x, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.unary relu %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // CHECK: %[[B:.*]] = graph.unary erf %[[A]]
  // expected-remark@+1 {{stays on the CPU: convcore has no op for erf}}
  %2 = graph.unary erf %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}

// -----

// A region that reads its own result through the CPU would be a cyclic dependence.
// CHECK-LABEL: @regions_do_not_wait_for_themselves
func.func @regions_do_not_wait_for_themselves(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: %[[A:.*]] = graph.kernel %arg0
  %0 = graph.binary add %x, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // CHECK: %[[B:.*]] = graph.unary erf %[[A]]
  // expected-remark@+1 {{stays on the CPU: convcore has no op for erf}}
  %1 = graph.unary erf %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // CHECK: graph.kernel %{{.*}}, %{{.*}} {
  %2 = graph.binary mul %0, %1 : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @limit_is_named
func.func @limit_is_named(%x: tensor<1x1x9x9xf32>) -> tensor<1x1x2x2xf32> {
  %w = graph.constant dense<1.0> : tensor<1x1x8x8xf32>
  // CHECK-NOT: graph.kernel
  // expected-remark@+1 {{stays on the CPU: kernel height of conv is 8; the device supports at most 7}}
  %y = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x9x9xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}

// -----

// CHECK-LABEL: @nothing_but_movement_stays
func.func @nothing_but_movement_stays(%x: tensor<1x2x3x3xf32>) -> tensor<2x9xf32> {
  %s = graph.constant dense<[2, 9]> : tensor<2xi64>
  // CHECK-NOT: graph.kernel
  // expected-remark@+1 {{stays on the CPU: the region only moves elements, which the CPU does without a transfer}}
  %y = graph.reshape %x, %s : (tensor<1x2x3x3xf32>, tensor<2xi64>) -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

// CHECK-LABEL: @users_come_behind_the_region
func.func @users_come_behind_the_region(%x: tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
  // CHECK: %[[K:.*]]:2 = graph.kernel
  // CHECK: graph.unary erf %[[K]]#0
  %0 = graph.binary add %x, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // expected-remark@+1 {{stays on the CPU: convcore has no op for erf}}
  %1 = graph.unary erf %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.binary add %0, %0 : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %1, %2 : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
}
