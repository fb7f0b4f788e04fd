// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-memory-lower-row-groups)' | FileCheck %s

task.kernel @first(%x: memref<32xi8>, %begin: index, %end: index) attributes {range = 8 : i64} {
  task.return
}
task.kernel @second(%x: memref<32xi8>, %begin: index, %end: index) attributes {range = 4 : i64} {
  task.return
}

// The first call computes a row in each of the first 8 rounds, the second one from round 2 on in
// every second round.
// CHECK-LABEL: @loop
// CHECK-SAME: (%[[X:.*]]: memref<32xi8>, %[[Y:.*]]: memref<32xi8>)
// CHECK: %[[ROUNDS:.*]] = arith.constant 9 : index
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[ROUNDS]] step
// CHECK-NEXT: %[[C8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[ISROW:.*]] = arith.cmpi ult, %[[T]], %[[C8]] : index
// CHECK-NEXT: scf.if %[[ISROW]] {
// CHECK: %[[END:.*]] = arith.addi %[[T]], %{{.*}}
// CHECK-NEXT: task.call @first(%[[X]], %[[T]], %[[END]]) : memref<32xi8>, index, index
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[SINCE:.*]] = arith.subi %[[T]], %[[C2]]
// CHECK: %[[ROW:.*]] = arith.divui %[[SINCE]], %{{.*}}
// CHECK: %[[C7:.*]] = arith.constant 7 : index
// CHECK: arith.cmpi ult, %[[SINCE]], %[[C7]]
// CHECK: %[[REST:.*]] = arith.remui %[[SINCE]], %{{.*}}
// CHECK: arith.cmpi eq, %[[REST]], %{{.*}}
// CHECK: task.call @second(%[[Y]], %[[ROW]], %{{.*}})
// CHECK-NOT: pace =
func.func @loop(%x: memref<32xi8>, %y: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  task.call @first(%x, %c0, %c8) {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>} : memref<32xi8>, index, index
  task.call @second(%y, %c0, %c4) {pace = #task.pace<group = 0, stride = 2, lag = 2, descending = false>} : memref<32xi8>, index, index
  return
}

// A call in every round has no condition. A descending call starts with its last row.
// CHECK-LABEL: @descends
// CHECK: scf.for %[[T:.*]] = %{{.*}} to
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[ROW:.*]] = arith.subi %[[C3]], %[[T]]
// CHECK-NOT: scf.if
// CHECK: task.call @second(%{{.*}}, %[[ROW]], %{{.*}})
func.func @descends(%x: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  task.call @second(%x, %c0, %c4) {pace = #task.pace<group = 1, stride = 1, lag = 0, descending = true>} : memref<32xi8>, index, index
  return
}

// -----

task.kernel @one(%x: memref<32xi8>, %begin: index, %end: index) attributes {range = 8 : i64} {
  task.return
}
func.func @two_blocks(%x: memref<32xi8>, %is: i1) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  task.call @one(%x, %c0, %c8) {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>} : memref<32xi8>, index, index
  scf.if %is {
    // expected-error@+1 {{expects to be in the same block as the other calls of group 0}}
    task.call @one(%x, %c0, %c8) {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>} : memref<32xi8>, index, index
  }
  return
}
