// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order}, convoy-schedule-check-contract)' | FileCheck %s

// Both workers execute all iterations, wait for each other inside of an iteration, meet at its end
// and clear the words of their parts. The counts start where the last execution of the loop ended.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func @main
  // CHECK: task.parallel
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: task.post %[[FLAGS:.*]][0] 1
  // CHECK: %[[BASE:.*]] = memref.load %[[FLAGS]]
  // CHECK: scf.for {{.*}} iter_args(%[[NOW:.*]] = %[[BASE]]) -> (i32) {
  // CHECK-NOT: task.wait
  // CHECK: task.share %[[FLAGS]][64] part 0 of 2
  // CHECK: task.call @scale_0(%arg0
  // CHECK: task.team_post %[[FLAGS]][2] 2 plus %[[NOW]]
  // CHECK: task.team_wait %[[FLAGS]][3] 1 plus %[[NOW]]
  // CHECK: task.share %[[FLAGS]][68] part 0 of 2
  // CHECK: task.call @add_0(%arg0
  // CHECK: task.team_post %[[FLAGS]][2] 4 plus %[[NOW]]
  // CHECK-NEXT: task.team_wait %[[FLAGS]][3] 4 plus %[[NOW]]
  // CHECK-NEXT: task.team_renew %[[FLAGS]][64]
  // CHECK-NEXT: task.team_renew %[[FLAGS]][68]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[NOW]]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: } {task.team = {line = 2 : i64, part = 0 : i64, parts = 2 : i64, steps = 4 : i64}}
  // CHECK: task.wait %[[FLAGS]][1] 1
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.wait %[[FLAGS:.*]][0] 1
  // CHECK: scf.for {{.*}} iter_args(%[[NOW:.*]] =
  // CHECK: task.share %[[FLAGS]][64] part 1 of 2
  // CHECK: task.team_renew %[[FLAGS]][66]
  // CHECK: } {task.team = {line = 2 : i64, part = 1 : i64, parts = 2 : i64, steps = 4 : i64}}
  // CHECK: task.post %[[FLAGS]][1] 1
  func.func @main(%x: memref<8xf32> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      task.call @scale_0(%x, %c0, %c8) : memref<8xf32>, index, index
      task.call @add_0(%x, %y, %c0, %c8) : memref<8xf32>, memref<8xf32>, index, index
    }
    return
  }
  task.kernel @scale_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>], range = 8 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%i] : memref<8xf32>
    }
    task.return
  }
  task.kernel @add_0(%a: memref<8xf32>, %b: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>], range = 8 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %f = memref.load %b[%i] : memref<8xf32>
      %s = arith.addf %e, %f : f32
      memref.store %s, %b[%i] : memref<8xf32>
    }
    task.return
  }
}

// -----

// Each worker evaluates the condition. The body overwrites it, so the workers meet once more after
// they have loaded it, and before the first iteration.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: %[[OWN:.*]] = memref.load %[[FLAGS:.*]][%
  // CHECK: %[[FIRST:.*]] = memref.load %arg0
  // CHECK: task.team_post %[[FLAGS]][2] 1 plus %[[OWN]]
  // CHECK-NEXT: task.team_wait %[[FLAGS]][3] 1 plus %[[OWN]]
  // CHECK: %[[BASE:.*]] = arith.addi %[[OWN]]
  // CHECK: scf.while (%[[GOES:.*]] = %[[FIRST]], %[[NOW:.*]] = %[[BASE]])
  // CHECK: scf.condition(%{{.*}}) %[[GOES]], %[[NOW]]
  // CHECK: ^bb0(%{{.*}}: i8, %[[NOW:.*]]: i32)
  // CHECK: task.call @scale_0(%arg1
  // CHECK: task.call @flag_0(%arg1, %arg0
  // CHECK: task.team_post %[[FLAGS]][2] [[MEET:[0-9]+]] plus %[[NOW]]
  // CHECK-NEXT: task.team_wait %[[FLAGS]][3] [[MEET]] plus %[[NOW]]
  // CHECK: %[[NEXT:.*]] = memref.load %arg0
  // CHECK: task.team_post %[[FLAGS]][2] [[AGAIN:[0-9]+]] plus %[[NOW]]
  // CHECK-NEXT: task.team_wait %[[FLAGS]][3] [[AGAIN]] plus %[[NOW]]
  // CHECK: scf.yield %[[NEXT]]
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: scf.while
  // CHECK: task.share %{{.*}} part 1 of 2
  // CHECK: task.call @scale_0(%arg1
  // CHECK-NOT: task.call @flag_0
  // CHECK: task.team = {line = 2 : i64, part = 1 : i64
  func.func @main(%goes: memref<1xi8> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i8
    %first = memref.load %goes[%c0] : memref<1xi8>
    %last = scf.while (%now = %first) : (i8) -> i8 {
      %isOn = arith.cmpi ne, %now, %zero : i8
      scf.condition(%isOn) %now : i8
    } do {
    ^bb0(%now: i8):
      task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
      task.call @flag_0(%y, %goes, %c0, %c1) : memref<8xf32>, memref<1xi8>, index, index
      %next = memref.load %goes[%c0] : memref<1xi8>
      scf.yield %next : i8
    }
    return
  }
  task.kernel @scale_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>], range = 8 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%i] : memref<8xf32>
    }
    task.return
  }
  task.kernel @flag_0(%a: memref<8xf32>, %b: memref<1xi8>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>], range = 1 : i64} {
    %zero = arith.constant 0 : i8
    memref.store %zero, %b[%begin] : memref<1xi8>
    task.return
  }
}

// -----

// An op after the load of the next condition may overwrite it: worker 0 executes the loop alone.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: scf.while
  // CHECK-NOT: task.share
  // CHECK-LABEL: func.func private @worker_1
  // CHECK-NOT: scf.while
  // CHECK: return
  func.func @main(%goes: memref<1xi8> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i8
    %first = memref.load %goes[%c0] : memref<1xi8>
    %last = scf.while (%now = %first) : (i8) -> i8 {
      %isOn = arith.cmpi ne, %now, %zero : i8
      scf.condition(%isOn) %now : i8
    } do {
    ^bb0(%now: i8):
      %next = memref.load %goes[%c0] : memref<1xi8>
      task.call @flag_0(%y, %goes, %c0, %c1) : memref<8xf32>, memref<1xi8>, index, index
      scf.yield %next : i8
    }
    return
  }
  task.kernel @flag_0(%a: memref<8xf32>, %b: memref<1xi8>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>, #task.access<read_write>], range = 1 : i64} {
    %zero = arith.constant 0 : i8
    memref.store %zero, %b[%begin] : memref<1xi8>
    task.return
  }
}
