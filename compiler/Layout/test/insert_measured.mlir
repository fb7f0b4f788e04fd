// RUN: convoy-opt %s -convoy-layout-insert-measured | FileCheck %s

// Only the driver has a source of measurements; tuning/records/test/record_measurements_test.cpp
// tests the pass with a source.

// CHECK-LABEL: func.func @nothing_is_known_without_a_source
// CHECK-NOT: layout.measured
func.func @nothing_is_known_without_a_source(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %y = graph.kernel %x {
  ^bb0(%a: tensor<4x9xf32>):
    %0 = graph.unary relu %a : (tensor<4x9xf32>) -> tensor<4x9xf32>
    graph.yield %0 : tensor<4x9xf32>
  } : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %y : tensor<4x9xf32>
}
