// RUN: convoy-opt %s -mlir-print-debuginfo -mlir-print-local-scope \
// RUN:   -pass-pipeline='builtin.module(convoy-codegen-insert-line-info{model=net})' | FileCheck %s

// The line of a node is the index of its call. A shared kernel has the line of its first call.

// CHECK-LABEL: llvm.func @net_main
llvm.func @net_main(%x: !llvm.ptr) -> i32 {
  // CHECK: llvm.call @net_relu_0(%{{.*}}) {{.*}} loc("net.onnx":1:0)
  llvm.call @net_relu_0(%x) : (!llvm.ptr) -> ()
  // CHECK: llvm.call @net_add_1(%{{.*}}) {{.*}} loc("net.onnx":2:0)
  llvm.call @net_add_1(%x) : (!llvm.ptr) -> () loc("stage1/Add_7")
  // CHECK: llvm.call @net_relu_0(%{{.*}}) {{.*}} loc("net.onnx":3:0)
  llvm.call @net_relu_0(%x) : (!llvm.ptr) -> ()
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}

// CHECK-LABEL: llvm.func @net_add_1
llvm.func @net_add_1(%x: !llvm.ptr) {
  // CHECK: llvm.return loc("net.onnx":2:0)
  llvm.return
// CHECK: loc(fused<#llvm.di_subprogram<
// CHECK-SAME: name = "stage1/Add_7", file
// CHECK-SAME: line = 2
} loc("stage1/Add_7"("Add"))

// CHECK-LABEL: llvm.func @net_relu_0
llvm.func @net_relu_0(%x: !llvm.ptr) {
  // CHECK: llvm.return loc("net.onnx":1:0)
  llvm.return
// CHECK: loc(fused<#llvm.di_subprogram<
// CHECK-SAME: name = "stage1/Relu_3", file
// CHECK-SAME: line = 1
} loc(fused["stage1/Relu_3"("Relu"), "stage1/Clip_4"("Clip")])

// The calls of workers have the lines of the calls in main.
// CHECK-LABEL: llvm.func @net_worker_0
llvm.func @net_worker_0(%x: !llvm.ptr) {
  // CHECK: llvm.call @net_add_1(%{{.*}}) {{.*}} loc("net.onnx":2:0)
  llvm.call @net_add_1(%x) : (!llvm.ptr) -> () loc("stage1/Add_7")
  llvm.return
}
