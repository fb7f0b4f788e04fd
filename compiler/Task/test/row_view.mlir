// RUN: convoy-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @row_of_a_tensor
// CHECK: task.row_view %{{.*}}[%{{.*}}] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
func.func @row_of_a_tensor(%x: memref<32xi8>, %row: index) -> memref<8xi8, strided<[1], offset: ?>> {
  %r = task.row_view %x[%row] rows 4 : memref<32xi8> -> memref<8xi8, strided<[1], offset: ?>>
  return %r : memref<8xi8, strided<[1], offset: ?>>
}

// -----

func.func @rows_are_not_equal(%x: memref<32xi8>, %row: index) {
  // expected-error@+1 {{expects flat memory of 5 equal rows, found 'memref<32xi8>'}}
  %r = task.row_view %x[%row] rows 5 : memref<32xi8> -> memref<6xi8, strided<[1], offset: ?>>
  return
}

// -----

func.func @no_rows(%x: memref<32xi8>, %row: index) {
  // expected-error@+1 {{expects flat memory of 0 equal rows, found 'memref<32xi8>'}}
  %r = task.row_view %x[%row] rows 0 : memref<32xi8> -> memref<32xi8, strided<[1], offset: ?>>
  return
}

// -----

func.func @source_is_not_flat(%x: memref<4x8xi8>, %row: index) {
  // expected-error@+1 {{expects flat memory of 4 equal rows, found 'memref<4x8xi8>'}}
  %r = task.row_view %x[%row] rows 4 : memref<4x8xi8> -> memref<8xi8, strided<[1], offset: ?>>
  return
}

// -----

func.func @view_is_longer_than_a_row(%x: memref<32xi8>, %row: index) {
  // expected-error@+1 {{expects a view of type 'memref<8xi8, strided<[1], offset: ?>>', found 'memref<16xi8, strided<[1], offset: ?>>'}}
  %r = task.row_view %x[%row] rows 4 : memref<32xi8> -> memref<16xi8, strided<[1], offset: ?>>
  return
}
