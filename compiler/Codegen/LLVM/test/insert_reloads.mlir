// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-insert-reloads{model=net calls=2})' | FileCheck %s

llvm.func @net_k(!llvm.ptr)

// CHECK-LABEL: llvm.func @net_main
// CHECK-SAME: (%[[ARENA:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.ptr)
llvm.func @net_main(%arena: !llvm.ptr, %x: !llvm.ptr) {
  // CHECK: %[[SLOT:.*]] = llvm.alloca
  // CHECK: llvm.store %[[ARENA]], %[[SLOT]]
  // CHECK: %[[FIRST:.*]] = llvm.load volatile %[[SLOT]]
  // CHECK: llvm.getelementptr %[[FIRST]][64]
  %a = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @net_k(%a) : (!llvm.ptr) -> ()
  // CHECK: llvm.getelementptr %[[FIRST]][128]
  %b = llvm.getelementptr %arena[128] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @net_k(%b) : (!llvm.ptr) -> ()
  // CHECK: %[[SECOND:.*]] = llvm.load volatile %[[SLOT]]
  // CHECK: llvm.getelementptr %[[SECOND]][64]
  %c = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.call @net_k(%c) : (!llvm.ptr) -> ()
  // A pointer with few uses is not reloaded.
  // CHECK: llvm.call @net_k(%[[X]])
  llvm.call @net_k(%x) : (!llvm.ptr) -> ()
  llvm.return
}

// The pass also changes workers.
// CHECK-LABEL: llvm.func @net_worker_1
llvm.func @net_worker_1(%arena: !llvm.ptr) {
  // CHECK-COUNT-2: llvm.load volatile
  llvm.call @net_k(%arena) : (!llvm.ptr) -> ()
  llvm.call @net_k(%arena) : (!llvm.ptr) -> ()
  llvm.call @net_k(%arena) : (!llvm.ptr) -> ()
  llvm.return
}
