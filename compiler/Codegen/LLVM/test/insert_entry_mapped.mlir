// RUN: convoy-opt %s \
// RUN:   -pass-pipeline='builtin.module(convoy-codegen-insert-entry{model=net maps-weights=true})' | FileCheck %s

// CHECK-LABEL: llvm.func @net_main
module attributes {memory.arena_bytes = 0 : i64} {
  llvm.func @net_main(%weights: !llvm.ptr {memory.role = "weights"}) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}

// The pointer is null until the runtime maps the file.
// CHECK: llvm.mlir.global external hidden @net_weights() {{.*}} : !llvm.ptr
// CHECK: llvm.mlir.zero
// CHECK: llvm.func @net_run
// CHECK: %[[AT:.*]] = llvm.mlir.addressof @net_weights
// CHECK: %[[WEIGHTS:.*]] = llvm.load %[[AT]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.call @net_main(%[[WEIGHTS]])
