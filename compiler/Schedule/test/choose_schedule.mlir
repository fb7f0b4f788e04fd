// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2}, convoy-schedule-check-contract)' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 scheduler=program-order})' | FileCheck %s --check-prefix=PLAIN
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 scheduler=cp/dt/misf}, convoy-schedule-check-contract)' | FileCheck %s --check-prefix=NAMED
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 scheduler=fifo})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 report=%t.html})' -o /dev/null
// RUN: FileCheck %s --input-file=%t.html --check-prefix=PAGE
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 report=/proc/none/page.html})' 2>&1 | FileCheck %s --check-prefix=NOFILE

// Two branches of three steps each. If two workers share each kernel, each kernel takes two steps,
// four in total. In parallel, the branches take three steps.
// UNKNOWN: for the --scheduler option: Cannot find option named 'fifo'!
// NOFILE: --report: cannot write '/proc/none': No such file or directory
// CHECK: task.scheduler = "cp/dt/misf"
// PLAIN: task.scheduler = "program-order"
// NAMED: task.scheduler = "cp/dt/misf"
module attributes {memory.arena_bytes = 64 : i64} {
  // CHECK-LABEL: func.func private @worker_0
  // CHECK-NOT: task.share
  // CHECK: task.call @rows_0(%arg0, %arg{{[12]}}, %c0
  // CHECK-NOT: call
  // CHECK-LABEL: func.func private @worker_1
  // CHECK-NOT: task.share
  // CHECK: task.call @rows_0(%arg0, %arg{{[12]}}, %c0
  // CHECK-NOT: call
  // PLAIN-LABEL: func.func private @worker_0
  // PLAIN-COUNT-2: task.share
  // PLAIN-LABEL: func.func private @worker_1
  // PLAIN-COUNT-2: task.share

  // PAGE: <h1>Schedule for 2 cores</h1>
  // PAGE: <td class="l">cp/dt/misf</td>
  // PAGE: predicted speed-up</th><td class="l">2.00x</td>
  // PAGE: <svg id="gantt"
  // PAGE: <title>rows_0
  // PAGE-NEXT: &apos;left&apos; (Conv)
  // PAGE-NEXT: task 0 on core 0
  // PAGE: &apos;right&apos; (Conv)
  // PAGE-NEXT: task 1 on core 1
  // PAGE: <table id="idle">
  // PAGE: <table id="critical">
  // PAGE: <svg id="graph"
  func.func @main(%x: memref<120000xf32> {memory.role = "input"}, %y: memref<120000xf32> {memory.role = "output"},
                  %z: memref<120000xf32> {memory.role = "output"}, %arena: memref<64xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    task.call @rows_0(%x, %y, %c0, %c3) : memref<120000xf32>, memref<120000xf32>, index, index loc("left"("Conv"))
    task.call @rows_0(%x, %z, %c0, %c3) : memref<120000xf32>, memref<120000xf32>, index, index loc("right"("Conv"))
    return
  }
  task.kernel @rows_0(%a: memref<120000xf32>, %b: memref<120000xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 3 : i64} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<120000xf32>
      memref.store %e, %b[%i] : memref<120000xf32>
    }
    task.return
  }
}
