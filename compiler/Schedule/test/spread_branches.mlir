// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order}, convoy-schedule-check-contract)' | FileCheck %s

// Both workers evaluate the condition before each piece. The sides write the same bytes, but no
// inference executes both, so the workers do not wait for each other between them.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func @main
  // CHECK: task.parallel
  // CHECK: } else {
  // CHECK: scf.if
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: task.post %[[FLAGS:.*]][0] 1
  // CHECK: %[[FLAG:.*]] = memref.load %arg0
  // CHECK: scf.if %[[FLAG]] {
  // CHECK: task.share %[[FLAGS]][32] part 0 of 2
  // CHECK: call @scale_0
  // CHECK-NOT: task.{{post|wait}}
  // CHECK: %[[FLAG:.*]] = memref.load %arg0
  // CHECK: scf.if %[[FLAG]] {
  // CHECK-NEXT: } else {
  // CHECK: task.share %[[FLAGS]][36] part 0 of 2
  // CHECK: call @halve_0
  // CHECK: task.wait %[[FLAGS]][1] 2
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.wait %[[FLAGS:.*]][0] 1
  // CHECK: %[[FLAG:.*]] = memref.load %arg0
  // CHECK: scf.if %[[FLAG]] {
  // CHECK: task.share %[[FLAGS]][32] part 1 of 2
  // CHECK: call @scale_0
  // CHECK-NOT: task.{{post|wait}}
  // CHECK: scf.if
  // CHECK: } else {
  // CHECK: task.share %[[FLAGS]][36] part 1 of 2
  // CHECK: call @halve_0
  // CHECK: task.post %[[FLAGS]][1] 2
  func.func @main(%x: memref<1xi1> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %flag = memref.load %x[%c0] : memref<1xi1>
    scf.if %flag {
      task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
    } else {
      task.call @halve_0(%y, %c0, %c8) : memref<8xf32>, index, index
    }
    return
  }
  task.kernel @scale_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%i] : memref<8xf32>
    }
    task.return
  }
  task.kernel @halve_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
    %c1 = arith.constant 1 : index
    %half = arith.constant 0.5 : f32
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %s = arith.mulf %e, %half : f32
      memref.store %s, %a[%i] : memref<8xf32>
    }
    task.return
  }
}

// -----

// Nested branches: the inner condition is evaluated only if the outer one holds. A kernel between
// the two may write the inner condition; the workers wait for its bytes if the outer one holds.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: %[[OUTER:.*]] = memref.load %arg0
  // CHECK: scf.if %[[OUTER]] {
  // CHECK: task.share %[[FLAGS:.*]][32] part 1 of 2
  // CHECK: task.call @scale_0(%arg1
  // CHECK: task.post %[[FLAGS]][1] 1
  // CHECK: scf.if
  // CHECK-NEXT: task.wait %[[FLAGS]][0] 2
  // CHECK-NEXT: }
  // CHECK: %[[OUTER:.*]] = memref.load %arg0
  // CHECK: scf.if %[[OUTER]] {
  // CHECK: %[[FIRST:.*]] = memref.load %arg1
  // CHECK: %[[INNER:.*]] = arith.cmpf olt, %[[FIRST]]
  // CHECK: scf.if %[[INNER]] {
  // CHECK: task.share %[[FLAGS]][36] part 1 of 2
  // CHECK: task.call @scale_0(%arg2
  func.func @main(%x: memref<1xi1> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %z: memref<8xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %flag = memref.load %x[%c0] : memref<1xi1>
    scf.if %flag {
      task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
      %first = memref.load %y[%c0] : memref<8xf32>
      %zero = arith.constant 0.0 : f32
      %isLow = arith.cmpf olt, %first, %zero : f32
      scf.if %isLow {
        task.call @scale_0(%z, %c0, %c8) : memref<8xf32>, index, index
      }
    }
    return
  }
  task.kernel @scale_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%i] : memref<8xf32>
    }
    task.return
  }
}

// -----

// Both workers execute a loop inside a branch. If a condition is overwritten after it was loaded,
// worker 0 executes the whole branch.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: task.team = {line = 2 : i64, part = 0 : i64
  // CHECK: memref.load %arg1
  // CHECK: task.call @scale_0(%arg1
  // CHECK: scf.if
  // CHECK-NOT: task.share
  // CHECK: task.call @scale_0(%arg2
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: task.team = {line = 2 : i64, part = 1 : i64
  // CHECK-NOT: scf.if
  // CHECK: return
  func.func @main(%x: memref<1xi1> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %z: memref<8xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %flag = memref.load %x[%c0] : memref<1xi1>
    scf.if %flag {
      scf.for %i = %c0 to %c8 step %c1 {
        task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
      }
    }
    %first = memref.load %y[%c0] : memref<8xf32>
    %zero = arith.constant 0.0 : f32
    %isLow = arith.cmpf olt, %first, %zero : f32
    task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
    scf.if %isLow {
      task.call @scale_0(%z, %c0, %c8) : memref<8xf32>, index, index
    }
    return
  }
  task.kernel @scale_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>],
                range = 8 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%i] : memref<8xf32>
    }
    task.return
  }
}

// -----

// A kernel after the branch waits for the side that the inference takes. The worker that executes
// neither side evaluates the condition for this.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_
  // CHECK: scf.if
  // CHECK-NEXT: task.wait
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

// -----

// One side of a branch computes the condition of the next branch. A worker evaluates the first
// condition in order to await this side, so it first waits for the kernel that computes the first
// condition.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func @main
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.wait %[[FLAGS:.*]][0] 2
  // CHECK-NOT: task.wait
  // CHECK: %[[OUTER:.*]] = memref.load %arg0
  // CHECK: scf.if %[[OUTER]] {
  // CHECK-NEXT: task.wait %[[FLAGS]][0] 3
  // CHECK-NEXT: }
  // CHECK: %[[NEXT:.*]] = memref.load %arg1
  // CHECK: scf.if %[[NEXT]] {
  // CHECK-NOT: task.wait
  // CHECK: task.share %[[FLAGS]]{{.*}} part 1 of 2
  // CHECK: task.call @scale_0(%arg2
  func.func @main(%h: memref<1xi1> {memory.role = "input"}, %c: memref<1xi1> {memory.role = "input"},
                  %y: memref<8xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    task.call @flag_0(%h, %c0, %c1) : memref<1xi1>, index, index
    %flag = memref.load %h[%c0] : memref<1xi1>
    scf.if %flag {
      task.call @flag_0(%c, %c0, %c1) : memref<1xi1>, index, index
    }
    %next = memref.load %c[%c0] : memref<1xi1>
    scf.if %next {
      task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
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
  task.kernel @flag_0(%c: memref<1xi1>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>], range = 1 : i64} {
    %flag = memref.load %c[%begin] : memref<1xi1>
    memref.store %flag, %c[%begin] : memref<1xi1>
    task.return
  }
}

// -----

// Worker 1 executes both kernels of the branch. Worker 0 waits for the second one only, because
// worker 1 has then also executed the first one.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func @main
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: task.call @thousand_0
  // CHECK-NOT: task.wait
  // CHECK: scf.if
  // CHECK-NEXT: task.wait %[[FLAGS:.*]][1] 2
  // CHECK-NEXT: }
  // CHECK-NOT: task.wait
  // CHECK: task.call @add_0
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.call @one_0
  // CHECK-NOT: task.post
  // CHECK: task.call @one_0
  // CHECK: task.post %[[FLAGS:.*]][1] 2
  // CHECK: task.call @million_0
  func.func @main(%x: memref<1xi1> {memory.role = "input"}, %y: memref<8xf32> {memory.role = "output"},
                  %z: memref<8xf32> {memory.role = "output"}, %v: memref<8xf32> {memory.role = "output"},
                  %w: memref<8xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %flag = memref.load %x[%c0] : memref<1xi1>
    task.call @thousand_0(%v, %c0, %c1) : memref<8xf32>, index, index
    scf.if %flag {
      task.call @one_0(%y, %c0, %c1) : memref<8xf32>, index, index
      task.call @one_0(%z, %c0, %c1) : memref<8xf32>, index, index
    }
    task.call @million_0(%w, %c0, %c1) : memref<8xf32>, index, index
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
  task.kernel @thousand_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>], range = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1000 = arith.constant 1000 : index
    scf.for %i = %c0 to %c1000 step %c1 {
      %e = memref.load %a[%begin] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%begin] : memref<8xf32>
    }
    task.return
  }
  task.kernel @million_0(%a: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read_write>], range = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1000000 = arith.constant 1000000 : index
    scf.for %i = %c0 to %c1000000 step %c1 {
      %e = memref.load %a[%begin] : memref<8xf32>
      %s = arith.addf %e, %e : f32
      memref.store %s, %a[%begin] : memref<8xf32>
    }
    task.return
  }
  task.kernel @add_0(%a: memref<8xf32>, %b: memref<8xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>], range = 1 : i64} {
    %e = memref.load %a[%begin] : memref<8xf32>
    memref.store %e, %b[%begin] : memref<8xf32>
    task.return
  }
}
