// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=1 localise=always})' | FileCheck %s --check-prefix=ONE
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 localise=always grain-ns=1 report=%t.html}, convoy-schedule-check-contract)' | FileCheck %s
// RUN: FileCheck %s --input-file=%t.html --check-prefix=PAGE
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-schedule-plan-workers{threads=2 localise=off grain-ns=1})' | FileCheck %s --check-prefix=OFF

// The second layer would overwrite rows of %x that the first layer has not read yet: its result has
// the memory of %x. The group therefore stays unsplit.
// ONE-LABEL: func.func @main
// ONE-NOT: scf.for
// ONE: task.call @rows_0(%{{.*}}, %{{.*}}, %c0{{.*}}, %c16
// ONE: task.call @back_0(%{{.*}}, %{{.*}}, %c0{{.*}}, %c16
// ONE: return
// CHECK-LABEL: func.func private @worker_0
// CHECK: task.share
// CHECK-LABEL: func.func private @worker_1
// CHECK: task.share
// CHECK: return
module attributes {memory.arena_bytes = 576 : i64} {
  func.func @main(%arena: memref<576xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c320 = arith.constant 320 : index
    %c16 = arith.constant 16 : index
    %x = memref.view %arena[%c64][] : memref<576xi8> to memref<64xf32>
    %t = memref.view %arena[%c320][] : memref<576xi8> to memref<64xf32>
    task.call @rows_0(%x, %t, %c0, %c16) {bands = #task.bands<group = 0, ends = [4, 8], savedNs = 0.0 : f64>}
        : memref<64xf32>, memref<64xf32>, index, index
    task.call @back_0(%t, %x, %c0, %c16) {bands = #task.bands<group = 0, ends = [4, 8], savedNs = 0.0 : f64>}
        : memref<64xf32>, memref<64xf32>, index, index
    return
  }
  task.kernel @rows_0(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 16 : i64, tensors = (tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>,
                  rows = #task.row_steps<outer = 2, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
    %e = memref.load %a[%begin] : memref<64xf32>
    memref.store %e, %b[%begin] : memref<64xf32>
    task.return
  }
  task.kernel @back_0(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 16 : i64, tensors = (tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>,
                  rows = #task.row_steps<outer = 2, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 1, 1, 0>]>} {
    %e = memref.load %a[%begin] : memref<64xf32>
    memref.store %e, %b[%begin] : memref<64xf32>
    task.return
  }
}

// -----

// Two layers of two planes of 8 rows, in two bands: the second layer is one row behind. With one
// thread, @main executes the bands in order, with a loop over planes for each.
// OFF-NOT: scf.for %{{.*}} step %c8
// OFF-NOT: #task.bands
// ONE-LABEL: func.func @main
// ONE: scf.for %[[I:.*]] = %c0{{.*}} to %c16{{.*}} step %c8{{.*}} {
// ONE: %[[END:.*]] = arith.addi %[[I]], %c4
// ONE: task.call @rows_0(%arg0, %[[T:.*]], %[[I]], %[[END]])
// ONE: scf.for %[[I:.*]] = %c0{{.*}} to %c16{{.*}} step %c8{{.*}} {
// ONE: %[[END:.*]] = arith.addi %[[I]], %c3
// ONE: task.call @rows_0(%{{.*}}, %arg1, %[[I]], %[[END]])
// ONE: scf.for %[[I:.*]] = %c4{{.*}} to %c16{{.*}} step %c8{{.*}} {
// ONE: %[[END:.*]] = arith.addi %[[I]], %c4
// ONE: task.call @rows_0(%arg0,
// ONE: scf.for %[[I:.*]] = %c3{{.*}} to %c16{{.*}} step %c8{{.*}} {
// ONE: %[[END:.*]] = arith.addi %[[I]], %c5
// ONE: task.call @rows_0(%{{.*}}, %arg1, %[[I]], %[[END]])
// ONE-NOT: call
// ONE-NOT: #task.bands
// ONE: return

// With two threads, each worker has a band. The first band does not need the second. The second
// band waits for the row above its own rows, and only there.
// CHECK: task.scheduler = "{{.*}}+bands"
// CHECK-LABEL: func.func private @worker_0
// CHECK: task.post %[[FLAGS:.*]][0] 1
// CHECK: scf.for %{{.*}} = %c0
// CHECK: task.post %[[FLAGS]][0] 2
// CHECK-NOT: task.wait
// CHECK: scf.for %{{.*}} = %c0
// CHECK-NOT: scf.for
// CHECK: task.wait %[[FLAGS]][1]
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @worker_1
// CHECK: task.wait %[[FLAGS:.*]][0] 1
// CHECK: scf.for %{{.*}} = %c4
// CHECK: task.wait %[[FLAGS]][0] 2
// CHECK: scf.for %{{.*}} = %c3
// CHECK: task.post %[[FLAGS]][1]

// PAGE: group 0, band 0: rows 0 to 4
// PAGE: <table id="local">
// PAGE: <td>0</td><td>0</td><td>0</td>{{.*}}rows_0 0..4, rows_0 0..3
// PAGE: <td>0</td><td>1</td><td>1</td>{{.*}}rows_0 4..8, rows_0 3..8
module attributes {memory.arena_bytes = 320 : i64} {
  func.func @main(%x: memref<64xf32> {memory.role = "input"}, %y: memref<64xf32> {memory.role = "output"},
                  %arena: memref<320xi8> {memory.role = "arena"}) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c16 = arith.constant 16 : index
    %t = memref.view %arena[%c64][] : memref<320xi8> to memref<64xf32>
    task.call @rows_0(%x, %t, %c0, %c16) {bands = #task.bands<group = 0, ends = [4, 8], savedNs = 0.0 : f64>}
        : memref<64xf32>, memref<64xf32>, index, index
    task.call @rows_0(%t, %y, %c0, %c16) {bands = #task.bands<group = 0, ends = [3, 8], savedNs = 0.0 : f64>}
        : memref<64xf32>, memref<64xf32>, index, index
    return
  }
  task.kernel @rows_0(%a: memref<64xf32>, %b: memref<64xf32>, %begin: index, %end: index)
      attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 16 : i64, tensors = (tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>,
                  rows = #task.row_steps<outer = 2, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {
      %e = memref.load %a[%i] : memref<64xf32>
      memref.store %e, %b[%i] : memref<64xf32>
    }
    task.return
  }
}
