// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-place-split-regions{device=example policy=fastest}))' | FileCheck %s

// The example device moves 16 bytes per nanosecond and the CPU 8, so an element-wise region
// is faster on the device.
// CHECK-LABEL: @faster_region_is_placed
// CHECK-SAME: place.placement = {{{.*}}fastest = true{{.*}}placed_ops = 2
func.func @faster_region_is_placed(%x: tensor<1x2x30x30xf32>) -> tensor<1x2x30x30xf32> {
  // CHECK: graph.kernel
  %0 = graph.binary add %x, %x : (tensor<1x2x30x30xf32>, tensor<1x2x30x30xf32>) -> tensor<1x2x30x30xf32>
  %1 = graph.unary relu %0 : (tensor<1x2x30x30xf32>) -> tensor<1x2x30x30xf32>
  return %1 : tensor<1x2x30x30xf32>
}
