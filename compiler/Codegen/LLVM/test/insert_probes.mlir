// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-insert-probes{model=net waits=true})' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-insert-probes{model=net})' | FileCheck %s --check-prefix=KERNELS

// CHECK-LABEL: llvm.func @net_main
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr)
llvm.func @net_main(%x: !llvm.ptr) {
  // A call without a number has no probe.
  // CHECK-NEXT: llvm.call @net_k(%[[X]])
  // CHECK-NEXT: llvm.br ^[[ASK:.*]]
  llvm.call @net_k(%x) : (!llvm.ptr) -> ()
  // CHECK-NEXT: ^[[ASK]]:
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.mlir.addressof @net_probe
  // CHECK-NEXT: %[[PROBE:.*]] = llvm.load %[[PLACE]]
  // CHECK-NEXT: %[[ID:.*]] = llvm.mlir.constant(7 : i64)
  // CHECK-NEXT: %[[AGAIN:.*]] = llvm.call %[[PROBE]](%[[ID]])
  // CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[IS:.*]] = llvm.icmp "ne" %[[AGAIN]], %[[ZERO]]
  // CHECK-NEXT: llvm.cond_br %[[IS]], ^[[BODY:.*]], ^[[NEXT:.*]]
  // CHECK-NEXT: ^[[BODY]]:
  // CHECK-NEXT: llvm.call @net_k(%[[X]])
  // CHECK-NEXT: llvm.br ^[[ASK]]
  // CHECK-NEXT: ^[[NEXT]]:
  llvm.call @net_k(%x) {task.probe = 7 : i64} : (!llvm.ptr) -> ()
  // CHECK-NEXT: llvm.return
  llvm.return
}
llvm.func @net_k(%x: !llvm.ptr) {
  llvm.return
}

// The time of a kernel excludes waits. A wait has a probe only with `waits`.
// KERNELS-NOT: llvm.mlir.constant(-2 : i64)
// CHECK-LABEL: llvm.func @net_worker_0
llvm.func @net_worker_0(%flag: !llvm.ptr, %count: i32) {
  // CHECK-NEXT: llvm.call @net_wait
  llvm.call @net_wait(%flag, %count) : (!llvm.ptr, i32) -> ()
  // CHECK-NEXT: llvm.call @net_post
  llvm.call @net_post(%flag, %count) : (!llvm.ptr, i32) -> ()
  // A flag that has the count needs no wait.
  // CHECK-NEXT: %[[NOW:.*]] = llvm.load %{{.*}} atomic acquire
  // CHECK-NEXT: %[[LESS:.*]] = llvm.icmp "slt" %[[NOW]], %{{.*}}
  // CHECK-NEXT: llvm.cond_br %[[LESS]], ^{{.*}}, ^{{.*}}
  // CHECK: llvm.mlir.constant(-2 : i64)
  // CHECK: llvm.cond_br
  // CHECK: llvm.call @net_wait
  llvm.call @net_wait(%flag, %count) {task.probe = -2 : i64} : (!llvm.ptr, i32) -> ()
  // CHECK: llvm.return
  llvm.return
}
llvm.func @net_wait(!llvm.ptr, i32)
llvm.func @net_post(!llvm.ptr, i32)

// The program that loads the model sets the pointer.
// CHECK: llvm.mlir.global external @net_probe()
// CHECK: llvm.mlir.zero : !llvm.ptr
