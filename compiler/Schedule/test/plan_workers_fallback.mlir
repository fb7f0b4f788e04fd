// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order most-sides=1})' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order})' 2>&1 | FileCheck %s --check-prefix=SAFE

// A worker waits inside of a branch. The check that may not store what the worker knows there does
// not accept the schedule, and one thread executes the model.
// CHECK-NOT: task.parallel
// CHECK: scf.if
// CHECK-NOT: @worker_
// SAFE-NOT: remark
// SAFE: task.parallel
// expected-remark@+1 {{one thread executes the model: its branches and loops have no safe schedule for several threads}}
module attributes {memory.arena_bytes = 64 : i64} {
  func.func @main(%x: memref<1xi1> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %z: memref<8xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %flag = memref.load %x[%c0] : memref<1xi1>
    task.call @one_0(%z, %c0, %c1) : memref<8xf32>, index, index
    scf.if %flag {
      task.call @one_0(%y, %c0, %c1) : memref<8xf32>, index, index
    }
    task.call @add_0(%y, %z, %c0, %c1) : memref<8xf32>, memref<8xf32>, index, index
    return
  }
  task.kernel @one_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>], range = 1 : i64} {
    %e = memref.load %a[%begin] : memref<8xf32>
    %s = arith.addf %e, %e : f32
    memref.store %s, %a[%begin] : memref<8xf32>
    task.return
  }
  task.kernel @add_0(%a: memref<8xf32>, %b: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>], range = 1 : i64} {
    %e = memref.load %a[%begin] : memref<8xf32>
    memref.store %e, %b[%begin] : memref<8xf32>
    task.return
  }
}
