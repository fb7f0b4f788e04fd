// RUN: convoy-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @row_of_an_input
// CHECK: task.fetch_row %{{.*}}[%{{.*}}] to %{{.*}} status %{{.*}} : memref<32xi8>, memref<8xi8>, memref<1xi32>
func.func @row_of_an_input(%x: memref<32xi8>, %row: index, %y: memref<8xi8>, %status: memref<1xi32>) {
  task.fetch_row %x[%row] to %y status %status : memref<32xi8>, memref<8xi8>, memref<1xi32>
  return
}

// -----

func.func @other_elements(%x: memref<32xi8>, %row: index, %y: memref<8xi16>, %status: memref<1xi32>) {
  // expected-error@+1 {{expects a target with elements of type 'i8', found 'i16'}}
  task.fetch_row %x[%row] to %y status %status : memref<32xi8>, memref<8xi16>, memref<1xi32>
  return
}
