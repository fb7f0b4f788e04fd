// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-memory-lower-row-views)' | FileCheck %s

// Memory that holds the whole tensor needs no remainder.
// CHECK-LABEL: @whole(
// CHECK-SAME: %[[X:.*]]: memref<32xi8>, %[[Y:.*]]: memref<32xi8>, %[[BEGIN:.*]]: index, %{{.*}}: index)
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[BEGIN]], %[[C8]] : index
// CHECK: memref.subview %[[X]][%[[OFFSET]]] [8] [1] : memref<32xi8> to memref<8xi8, strided<[1], offset: ?>>
// CHECK-NOT: arith.remui
task.kernel @whole(%x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index) attributes {range = 4 : i64} {
  %c0 = arith.constant 0 : index
  %r = task.row_view %x[%begin] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  %v = memref.load %r[%c0] : memref<8xi8, strided<[1], offset: ?>>
  memref.store %v, %s[%c0] : memref<8xi8, strided<[1], offset: ?>>
  task.return
}
// CHECK-LABEL: @calls_whole
// CHECK: task.call @whole(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : memref<32xi8>, memref<32xi8>, index, index
func.func @calls_whole(%x: memref<32xi8>, %y: memref<32xi8>, %begin: index, %end: index) {
  task.call @whole(%x, %y, %begin, %end) : memref<32xi8>, memref<32xi8>, index, index
  return
}

// -----

// All calls agree on the size of the ring: it is a constant.
// CHECK-LABEL: @one_ring(
// CHECK-SAME: %[[X:.*]]: memref<32xi8>, %[[BEGIN:.*]]: index, %{{.*}}: index)
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[AT:.*]] = arith.remui %[[BEGIN]], %[[C3]] : index
// CHECK: %[[OFFSET:.*]] = arith.muli %[[AT]], %{{.*}} : index
// CHECK: memref.subview %[[X]][%[[OFFSET]]] [8] [1]
task.kernel @one_ring(%x: memref<32xi8>, %begin: index, %end: index) attributes {range = 4 : i64} {
  %r = task.row_view %x[%begin] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  task.return
}
// CHECK-LABEL: @calls_one_ring
// CHECK-NOT: rings =
func.func @calls_one_ring(%x: memref<32xi8>, %begin: index, %end: index) {
  task.call @one_ring(%x, %begin, %end) {rings = array<i64: 3, 0, 0>} : memref<32xi8>, index, index
  task.call @one_ring(%x, %begin, %end) {rings = array<i64: 3, 0, 0>} : memref<32xi8>, index, index
  return
}

// -----

// Calls have rings of different sizes: the kernel gets an argument, and a whole tensor is a ring of
// all of its rows.
// CHECK-LABEL: @rings(
// CHECK-SAME: %[[X:.*]]: memref<32xi8>, %[[RING:.*]]: index, %[[BEGIN:.*]]: index, %{{.*}}: index)
// CHECK: arith.remui %[[BEGIN]], %[[RING]] : index
task.kernel @rings(%x: memref<32xi8>, %begin: index, %end: index) attributes {range = 4 : i64} {
  %r = task.row_view %x[%begin] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  task.return
}
// CHECK-LABEL: @calls_rings
// CHECK-SAME: (%[[X:.*]]: memref<32xi8>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: task.call @rings(%[[X]], %[[C2]], %[[BEGIN]], %[[END]])
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: task.call @rings(%[[X]], %[[C4]], %[[BEGIN]], %[[END]])
func.func @calls_rings(%x: memref<32xi8>, %begin: index, %end: index) {
  task.call @rings(%x, %begin, %end) {rings = array<i64: 2, 0, 0>} : memref<32xi8>, index, index
  task.call @rings(%x, %begin, %end) : memref<32xi8>, index, index
  return
}

// -----

task.kernel @reads_all(%x: memref<32xi8>, %begin: index, %end: index) attributes {range = 4 : i64} {
  // expected-error@+1 {{expects argument 0 of reads_all to be read and written through task.row_view, because a call keeps it in a ring}}
  %v = memref.load %x[%begin] : memref<32xi8>
  task.return
}
func.func @calls_reads_all(%x: memref<32xi8>, %begin: index, %end: index) {
  task.call @reads_all(%x, %begin, %end) {rings = array<i64: 3, 0, 0>} : memref<32xi8>, index, index
  return
}
