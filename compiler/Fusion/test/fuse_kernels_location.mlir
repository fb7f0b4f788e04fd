// RUN: convoy-opt %s -mlir-print-debuginfo -mlir-print-local-scope -pass-pipeline='builtin.module(func.func(convoy-fusion-fuse-kernels))' | FileCheck %s

// The location of a kernel is the location of all its ops, so that outputs name every node.
// CHECK: graph.kernel
// CHECK: graph.unary neg
// CHECK: graph.yield
// CHECK-NEXT: } : {{.*}} loc(fused["first"("Exp"), "second"("Neg")])
func.func @kernel_has_all_locations(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.unary exp %x : (tensor<4xf32>) -> tensor<4xf32> loc("first"("Exp"))
  %1 = graph.unary neg %0 : (tensor<4xf32>) -> tensor<4xf32> loc("second"("Neg"))
  return %1 : tensor<4xf32>
}
