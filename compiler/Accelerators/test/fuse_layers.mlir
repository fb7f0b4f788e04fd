// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-fuse-layers{device=example}))' | FileCheck %s

// CHECK-LABEL: @scale_goes_into_weights
func.func @scale_goes_into_weights(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = graph.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %s = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %b = graph.constant dense<[5.0, 6.0]> : tensor<2xf32>
  // CHECK-DAG: graph.constant {{.*}}3.000000e+00{{.*}}8.000000e+00
  // CHECK-DAG: graph.constant {{.*}}5.000000e+00, 6.000000e+00
  // CHECK: convcore.conv {{.*}}activation = #convcore.act<relu>, convcore.nodes = array<i64: 0, 1, 2>
  // CHECK-NOT: convcore.scale
  // CHECK-NOT: convcore.activation
  %0 = convcore.conv %x, %w {convcore.nodes = array<i64: 0>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %1 = convcore.scale %0, %s, %b {convcore.nodes = array<i64: 1>} : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %2 = convcore.activation %1 {convcore.nodes = array<i64: 2>, activation = #convcore.act<relu>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @what_the_device_lacks_stays_apart
func.func @what_the_device_lacks_stays_apart(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: convcore.eltwise
  // CHECK-NEXT: convcore.activation {{.*}}sigmoid
  %0 = convcore.eltwise %x, %x {kind = 0 : i32} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = convcore.activation %0 {activation = #convcore.act<sigmoid>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %1 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @clips_join
func.func @clips_join(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: convcore.eltwise {{.*}}#convcore.act<clip, low = 0.000000e+00 : f64, high = 6.000000e+00 : f64>
  %0 = convcore.eltwise %x, %x {kind = 0 : i32, activation = #convcore.act<relu>} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = convcore.activation %0 {activation = #convcore.act<clip, low = -1.0 : f64, high = 6.0 : f64>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %1 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @flattened_input_becomes_the_kernel
func.func @flattened_input_becomes_the_kernel(%x: tensor<1x2x3x3xf32>) -> tensor<1x4xf32> {
  %w = graph.constant dense<1.0> : tensor<4x18x1x1xf32>
  // CHECK: %[[Y:.*]] = convcore.conv %arg0, %{{.*}}(tensor<1x2x3x3xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x1x1xf32>
  // CHECK: convcore.reshape %[[Y]]
  %0 = convcore.reshape %x {shape = array<i64: 1, 18, 1, 1>} : (tensor<1x2x3x3xf32>) -> tensor<1x18x1x1xf32>
  %1 = convcore.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x18x1x1xf32>, tensor<4x18x1x1xf32>) -> tensor<1x4x1x1xf32>
  %2 = convcore.reshape %1 {shape = array<i64: 1, 4>} : (tensor<1x4x1x1xf32>) -> tensor<1x4xf32>
  return %2 : tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @reshapes_go_behind
func.func @reshapes_go_behind(%x: tensor<1x2x1x1xf32>) -> tensor<1x2xf32> {
  // CHECK: %[[Y:.*]] = convcore.eltwise {{.*}}relu
  // CHECK-NEXT: convcore.reshape %[[Y]]
  %0 = convcore.eltwise %x, %x {kind = 0 : i32} : (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %1 = convcore.reshape %0 {shape = array<i64: 1, 2>} : (tensor<1x2x1x1xf32>) -> tensor<1x2xf32>
  %2 = convcore.activation %1 {activation = #convcore.act<relu>} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: @copies_vanish
func.func @copies_vanish(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: %[[Y:.*]] = convcore.eltwise
  // CHECK-NEXT: return %[[Y]]
  %0 = convcore.eltwise %x, %x {kind = 0 : i32} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = convcore.copy %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %1 : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @scales_join
func.func @scales_join(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %s = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %b = graph.constant dense<[5.0, 6.0]> : tensor<2xf32>
  // CHECK-DAG: graph.constant {{.*}}9.000000e+00, 1.600000e+01
  // CHECK-DAG: graph.constant {{.*}}1.500000e+01, 2.400000e+01
  // CHECK: convcore.scale
  // CHECK-NOT: convcore.scale
  %0 = convcore.scale %x, %s, %b : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %1 = convcore.scale %0, %s : (tensor<1x2x3x3xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  return %1 : tensor<1x2x3x3xf32>
}
