// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order}, convoy-schedule-check-contract)' | FileCheck %s

// Both workers evaluate the condition before each piece, on either side, and synchronise whether or
// not they executed the piece.
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
  // CHECK: task.post %[[FLAGS]][0] 2
  // CHECK: task.wait %[[FLAGS]][1] 1
  // CHECK: %[[FLAG:.*]] = memref.load %arg0
  // CHECK: scf.if %[[FLAG]] {
  // CHECK-NEXT: } else {
  // CHECK: task.share %[[FLAGS]][36] part 0 of 2
  // CHECK: call @halve_0
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.wait %[[FLAGS:.*]][0] 1
  // CHECK: %[[FLAG:.*]] = memref.load %arg0
  // CHECK: scf.if %[[FLAG]] {
  // CHECK: task.share %[[FLAGS]][32] part 1 of 2
  // CHECK: call @scale_0
  // CHECK: task.post %[[FLAGS]][1] 1
  // CHECK: task.wait %[[FLAGS]][0] 2
  // CHECK: scf.if
  // CHECK: } else {
  // CHECK: task.share %[[FLAGS]][36] part 1 of 2
  // CHECK: call @halve_0
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
// the two may write the inner condition; the workers wait for its bytes.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: %[[OUTER:.*]] = memref.load %arg0
  // CHECK: scf.if %[[OUTER]] {
  // CHECK: task.share %[[FLAGS:.*]][32] part 1 of 2
  // CHECK: task.call @scale_0(%arg1
  // CHECK: task.wait %[[FLAGS]][0] 2
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

// A loop inside the branch, or a condition that is overwritten after it was loaded: worker 0
// executes the whole branch.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: memref.load %arg1
  // CHECK: task.call @scale_0(%arg1
  // CHECK: scf.if
  // CHECK-NOT: task.share
  // CHECK: task.call @scale_0(%arg2
  // CHECK-LABEL: func.func private @worker_1
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
