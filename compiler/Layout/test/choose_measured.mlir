// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s

// A measured configuration replaces the estimates and is used unchanged.
// CHECK-LABEL: func @measured_configuration
// CHECK: config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 5,
// CHECK-NOT: layout.measured
func.func @measured_configuration(%x: tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32> {
  %w = graph.constant dense<0.5> : tensor<16x16x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
    graph.yield %1 : tensor<1x16x16x16xf32>
  } {layout.measured = [{config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 5, depth = 16, unroll = 8, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>,
                         input = #graph.blocked<c = 8>, ns = 12000.0 : f64}]}
    : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
  return %0 : tensor<1x16x16x16xf32>
}

// -----

// The generic loops can be the fastest measured configuration.
// CHECK-LABEL: func @generic_loops_were_fast
// CHECK-NOT: config
// CHECK: return
func.func @generic_loops_were_fast(%x: tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32> {
  %w = graph.constant dense<0.5> : tensor<16x16x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
    graph.yield %1 : tensor<1x16x16x16xf32>
  } {layout.measured = [{ns = 1.0 : f64},
                        {config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 5, depth = 16, unroll = 8, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>,
                         input = #graph.blocked<c = 8>, ns = 90000.0 : f64},
                        {config = #kernel.conv_direct<block = 8, vectors = 2, pixels = 5, depth = 16, unroll = 8, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>,
                         ns = 90000.0 : f64}]}
    : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
  return %0 : tensor<1x16x16x16xf32>
}

// -----

func.func @no_time(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has an invalid entry in layout.measured; each entry needs a positive float 'ns', the nanoseconds of one run}}
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } {layout.measured = [{}]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @other_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has an entry in layout.measured that does not fit it: }}
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } {layout.measured = [{config = #kernel.conv_direct<block = 8, vectors = 1, pixels = 5, depth = 16, unroll = 8, columns = 0, rows = 1, panels = 1, fetch = 0, fetchResult = false>, ns = 1.0 : f64}]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
