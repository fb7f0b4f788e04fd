// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 grain-ns=0 scheduler=program-order}, convoy-schedule-check-contract)' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=1})' | FileCheck %s --check-prefix=ONE
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 scheduler=program-order})' | FileCheck %s --check-prefix=COARSE

// A chain: the workers share each kernel after both have finished the previous one. The flags
// follow the arena, one cache line each; the words of shares follow the flags.
// ONE-NOT: task.parallel
// CHECK: module attributes {memory.arena_bytes = 512 : i64, task.prediction = {ns = 1.920000e+01 : f64, serialNs = 3.840000e+01 : f64}, task.scheduler = "program-order", task.threads = 2 : i64}
module attributes {memory.arena_bytes = 320 : i64} {
  // CHECK-LABEL: func.func @main
  // CHECK: %[[FLAGS:.*]] = memref.view %arg2[%c320{{.*}}][] : memref<512xi8> to memref<48xi32>
  // CHECK: %[[RAN:.*]] = task.parallel [@worker_0, @worker_1](%arg0, %arg1, %arg2) flags %[[FLAGS]]
  // CHECK: scf.if %[[RAN]] {
  // CHECK: } else {
  // Fallback without threads: the same calls in program order.
  // CHECK: memref.store
  // CHECK: task.call @copy_0(%arg0, %{{.*}}, %c0{{.*}}, %c64{{.*}})
  // CHECK: task.call @copy_0(%{{.*}}, %arg1, %c0{{.*}}, %c64{{.*}})
  // CHECK: }
  // CHECK: %[[STATUS:.*]] = memref.load
  // CHECK: return %[[STATUS]]
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: task.post %[[FLAGS:.*]][0] 1
  // CHECK: memref.store
  // CHECK: task.share %[[FLAGS]][32] part 0 of 2 range 64 least 64 {
  // CHECK: ^bb0(%[[BEGIN:.*]]: index, %[[END:.*]]: index):
  // CHECK: task.call @copy_0(%arg0, %{{.*}}, %[[BEGIN]], %[[END]])
  // CHECK: task.post %[[FLAGS]][0] 3
  // CHECK: task.wait %[[FLAGS]][1] 1
  // CHECK: task.share %[[FLAGS]][36] part 0 of 2
  // CHECK: task.call @copy_0(%{{.*}}, %arg1,
  // CHECK-NOT: task.post
  // CHECK: task.wait %[[FLAGS]][1] 2
  // CHECK-NEXT: return
  // CHECK-LABEL: func.func private @worker_1
  // CHECK-SAME: attributes {task.worker}
  // CHECK: task.wait %[[FLAGS:.*]][0] 1
  // CHECK: task.share %[[FLAGS]][32] part 1 of 2
  // CHECK: task.call @copy_0(%arg0,
  // CHECK: task.post %[[FLAGS]][1] 1
  // CHECK: task.wait %[[FLAGS]][0] 3
  // CHECK: task.share %[[FLAGS]][36] part 1 of 2
  // CHECK: task.call @copy_0(%{{.*}}, %arg1,
  // CHECK: task.post %[[FLAGS]][1] 2
  // CHECK-NEXT: return

  // The kernels are too short to share, so worker 1 has no work.
  // COARSE-LABEL: func.func private @worker_1
  // COARSE-NOT: call
  // COARSE: return
  func.func @main(%x: memref<64xf32> {memory.role = "input"}, %y: memref<64xf32> {memory.role = "output"},
                  %arena: memref<320xi8> {memory.role = "arena"}) -> i32 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %status = memref.view %arena[%c0][] : memref<320xi8> to memref<1xi32>
    %ok = arith.constant 0 : i32
    memref.store %ok, %status[%c0] : memref<1xi32>
    %t = memref.view %arena[%c64][] : memref<320xi8> to memref<64xf32>
    task.call @copy_0(%x, %t, %c0, %c64) : memref<64xf32>, memref<64xf32>, index, index
    task.call @copy_0(%t, %y, %c0, %c64) : memref<64xf32>, memref<64xf32>, index, index
    %code = memref.load %status[%c0] : memref<1xi32>
    return %code : i32
  }
  task.kernel @copy_0(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 64 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<64xf32>
      memref.store %e, %b[%i] : memref<64xf32>
    }
    task.return
  }
}

// -----

// Reused memory: the last kernel overwrites bytes that the two previous kernels read, so it waits
// for the other worker, although no tensor passes between them. A kernel with one step goes unsplit
// to the worker that can start first.
module attributes {memory.arena_bytes = 16448 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: task.call @whole_0(%arg0, %{{.*}}, %c0
  // CHECK: task.post %[[FLAGS:.*]][0] 2
  // CHECK: task.call @whole_0(%{{.*}}, %arg1, %c0
  // CHECK: task.post %[[FLAGS]][0] 3
  // CHECK: task.wait %[[FLAGS]][1] 2
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.wait %[[FLAGS:.*]][0] 2
  // CHECK: task.call @whole_0(%{{.*}}, %arg2, %c0
  // CHECK-NOT: task.post
  // CHECK: task.wait %[[FLAGS]][0] 3
  // CHECK: task.call @whole_0(%arg0, %{{.*}}, %c0
  // CHECK: task.post %[[FLAGS]][1] 2
  func.func @main(%x: memref<4096xf32> {memory.role = "input"}, %y: memref<4096xf32> {memory.role = "output"},
                  %z: memref<4096xf32> {memory.role = "output"}, %arena: memref<16448xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = memref.view %arena[%c64][] : memref<16448xi8> to memref<4096xf32>
    task.call @whole_0(%x, %t, %c0, %c1) : memref<4096xf32>, memref<4096xf32>, index, index
    task.call @whole_0(%t, %y, %c0, %c1) : memref<4096xf32>, memref<4096xf32>, index, index
    task.call @whole_0(%t, %z, %c0, %c1) : memref<4096xf32>, memref<4096xf32>, index, index
    task.call @whole_0(%x, %t, %c0, %c1) : memref<4096xf32>, memref<4096xf32>, index, index
    return
  }
  task.kernel @whole_0(%a: memref<4096xf32>, %b: memref<4096xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 1 : i64} {
    %c0 = arith.constant 0 : index
    %e = vector.load %a[%c0] : memref<4096xf32>, vector<16xf32>
    vector.store %e, %b[%c0] : memref<4096xf32>, vector<16xf32>
    task.return
  }
}

// -----

// Worker 0 executes a branch that overwrites its own condition, and the load of the condition. The
// other worker waits for the bytes that the branch writes.
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: memref.load %arg0
  // CHECK: scf.if
  // CHECK-NOT: task.share
  // CHECK: task.call @scale_0({{.*}}, %c0{{.*}}, %c8{{.*}})
  // CHECK: task.post %{{.*}}[0] 3
  // CHECK: task.share
  // CHECK: call @scale_0
  // CHECK-LABEL: func.func private @worker_1
  // CHECK-NOT: scf
  // CHECK: task.wait %{{.*}}[0] 3
  // CHECK: call @scale_0
  func.func @main(%y: memref<8xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %first = memref.load %y[%c0] : memref<8xf32>
    %zero = arith.constant 0.0 : f32
    %flag = arith.cmpf olt, %first, %zero : f32
    scf.if %flag {
      task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
    }
    task.call @scale_0(%y, %c0, %c8) : memref<8xf32>, index, index
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

// Each worker has its own scratch memory after the flags. Steps that share a setup are not taken
// one by one.
// CHECK: memory.arena_bytes = 512
module attributes {memory.arena_bytes = 192 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: %[[AT:.*]] = arith.constant 384 : index
  // CHECK: %[[OWN:.*]] = memref.view %arg2[%[[AT]]]
  // CHECK: task.share %{{.*}}[32] part 0 of 2 range 2000 least 500
  // CHECK: task.call @buffered_0(%arg0, %arg1, %[[OWN]],
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: %[[AT:.*]] = arith.constant 448 : index
  // CHECK: %[[OWN:.*]] = memref.view %arg2[%[[AT]]]
  // CHECK: task.call @buffered_0(%arg0, %arg1, %[[OWN]],
  func.func @main(%x: memref<200000xf32> {memory.role = "input"}, %y: memref<200000xf32> {memory.role = "output"},
                  %arena: memref<192xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2000 : index
    %c128 = arith.constant 128 : index
    %t = memref.view %arena[%c128][] : memref<192xi8> to memref<40xi8>
    task.call @buffered_0(%x, %y, %t, %c0, %c2) : memref<200000xf32>, memref<200000xf32>, memref<40xi8>, index, index
    return
  }
  task.kernel @buffered_0(%a: memref<200000xf32>, %b: memref<200000xf32>, %s: memref<40xi8>, %begin: index,
      %end: index) attributes {access = [#task.access<read>, #task.access<read_write>, #task.access<read_write>],
                range = 2000 : i64, joint = 1000 : i64, scratch = 40 : i64} {
    %c0 = arith.constant 0 : index
    %t = memref.view %s[%c0][] : memref<40xi8> to memref<10xf32>
    %e = memref.load %a[%begin] : memref<200000xf32>
    memref.store %e, %t[%c0] : memref<10xf32>
    memref.store %e, %b[%begin] : memref<200000xf32>
    task.return
  }
}

// -----

// Workers meet after each round. Their flags follow the flags of the workers, one cache line each.
// The scratch memory is shared, so it stays in the planned memory.
// CHECK: memory.arena_bytes = 448
module attributes {memory.arena_bytes = 192 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK: %[[AT:.*]] = arith.constant 128 : index
  // CHECK: %[[SHARED:.*]] = memref.view %arg2[%[[AT]]]
  // CHECK: rounds %{{.*}}[32] part 0 of 2 range 4 rounds 500 {
  // CHECK: ^bb0(%[[BEGIN:.*]]: index, %[[END:.*]]: index):
  // CHECK: task.call @steps_0(%arg0, %arg1, %[[SHARED]], %[[BEGIN]], %[[END]])
  // CHECK: } : memref<64xi32>
  // CHECK: task.wait %{{.*}}[1] 1
  // CHECK-LABEL: func.func private @worker_1
  // CHECK: task.wait %{{.*}}[0] 1
  // CHECK: rounds %{{.*}}[32] part 1 of 2 range 4 rounds 500 {
  // CHECK: task.post %{{.*}}[1] 1

  // A round is too short for two workers. The scratch memory is then private.
  // COARSE-LABEL: func.func private @worker_0
  // COARSE-NOT: rounds
  // COARSE: %[[AT:.*]] = arith.constant 320 : index
  // COARSE: %[[OWN:.*]] = memref.view %arg2[%[[AT]]]
  // COARSE: task.call @steps_0(%arg0, %arg1, %[[OWN]], %c0{{.*}}, %c2000
  func.func @main(%x: memref<200000xf32> {memory.role = "input"}, %y: memref<200000xf32> {memory.role = "output"},
                  %arena: memref<192xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2000 : index
    %c128 = arith.constant 128 : index
    %t = memref.view %arena[%c128][] : memref<192xi8> to memref<40xi8>
    task.call @steps_0(%x, %y, %t, %c0, %c2) : memref<200000xf32>, memref<200000xf32>, memref<40xi8>, index, index
    return
  }
  task.kernel @steps_0(%a: memref<200000xf32>, %b: memref<200000xf32>, %s: memref<40xi8>, %begin: index,
      %end: index) attributes {access = [#task.access<read>, #task.access<read_write>, #task.access<read_write>],
                range = 2000 : i64, rounds = 500 : i64, scratch = 40 : i64} {
    %c0 = arith.constant 0 : index
    %t = memref.view %s[%c0][] : memref<40xi8> to memref<10xf32>
    %e = memref.load %a[%begin] : memref<200000xf32>
    memref.store %e, %t[%c0] : memref<10xf32>
    memref.store %e, %b[%begin] : memref<200000xf32>
    task.return
  }
}
