// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-codegen-insert-region{model=net}, convoy-codegen-check-contract)' | FileCheck %s

module attributes {task.threads = 2 : i64} {
  llvm.func @net_main(%x: !llvm.ptr, %arena: !llvm.ptr) -> i1 {
    %ran = llvm.call @net_region(%arena, %x, %arena) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i1
    llvm.return %ran : i1
  }
  llvm.func @net_worker_0(%x: !llvm.ptr, %arena: !llvm.ptr) {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.call @net_post(%arena, %c1) : (!llvm.ptr, i32) -> ()
    llvm.return
  }
  llvm.func @net_worker_1(%x: !llvm.ptr, %arena: !llvm.ptr) {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    llvm.call @net_wait(%arena, %c1) : (!llvm.ptr, i32) -> ()
    llvm.return
  }
  llvm.func @net_region(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i1
  llvm.func @net_post(!llvm.ptr, i32)
  llvm.func @net_wait(!llvm.ptr, i32)
}

// All flags are 0 before any thread starts: two words in each line of 16.
// CHECK-LABEL: llvm.func hidden @net_region
// CHECK-SAME: (%[[FLAGS:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) -> i1
// CHECK: %[[CONTEXT:.*]] = llvm.alloca
// CHECK: llvm.store %[[X]]
// CHECK: llvm.store %[[ARENA]]
// CHECK: llvm.getelementptr inbounds %[[FLAGS]][0]
// CHECK: llvm.store %{{.*}} atomic monotonic
// CHECK: llvm.getelementptr inbounds %[[FLAGS]][1]
// CHECK: llvm.getelementptr inbounds %[[FLAGS]][16]
// CHECK: llvm.getelementptr inbounds %[[FLAGS]][17]
// CHECK: llvm.store %{{.*}} atomic monotonic
// CHECK: %[[WORK:.*]] = llvm.mlir.addressof @net_work
// CHECK: %[[CODE:.*]] = llvm.call @convoy_region_run(%{{.*}}, %[[WORK]], %[[CONTEXT]]) : (i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: %[[RAN:.*]] = llvm.icmp "eq" %[[CODE]]
// CHECK: llvm.return %[[RAN]]

// CHECK-DAG: llvm.func @convoy_region_run
// CHECK-DAG: llvm.func @convoy_flag_wait
// CHECK-DAG: llvm.func @convoy_flag_wake

// The runtime only sleeps; this code reads the count again.
// CHECK-LABEL: llvm.func hidden @net_wait
// CHECK: llvm.load %{{.*}} atomic acquire
// CHECK: llvm.call @convoy_flag_wait
// CHECK-LABEL: llvm.func hidden @net_post
// CHECK: llvm.atomicrmw xchg %{{.*}} seq_cst
// CHECK: llvm.load %{{.*}} atomic seq_cst
// CHECK: llvm.call @convoy_flag_wake

// CHECK-LABEL: llvm.func hidden @net_work
// CHECK: llvm.switch
// CHECK-DAG: llvm.call @net_worker_0(%{{.*}}, %{{.*}})
// CHECK-DAG: llvm.call @net_worker_1(%{{.*}}, %{{.*}})

// -----

// With one thread, the pass changes nothing.
// CHECK-LABEL: llvm.func @net_main
// CHECK-NOT: llvm.func
llvm.func @net_main() {
  llvm.return
}

// -----

// expected-error@+1 {{runs a region but has no attribute with the number of threads}}
module {
  llvm.func @net_region(!llvm.ptr) -> i1
}
