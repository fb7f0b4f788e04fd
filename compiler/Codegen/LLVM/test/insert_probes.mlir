// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-insert-probes{model=net})' | FileCheck %s

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
  llvm.call @net_k(%x) : (!llvm.ptr) -> () loc(fused["Conv_3", fused<7 : i64>["Conv_3"]])
  // CHECK-NEXT: llvm.return
  llvm.return
}
llvm.func @net_k(%x: !llvm.ptr) {
  llvm.return
}

// The program that loads the model sets the pointer.
// CHECK: llvm.mlir.global external @net_probe()
// CHECK: llvm.mlir.zero : !llvm.ptr
