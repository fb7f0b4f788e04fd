// RUN: convoy-opt %s -split-input-file -verify-diagnostics

func.func @call(%x: memref<12xf32>, %y: memref<24xf32>, %status: memref<1xi32>) {
  task.call_custom "upsample" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [2 : i64], shapes = [array<i64: 3, 4>, array<i64: 3, 8>]}
      : (memref<12xf32>), (memref<24xf32>), memref<1xi32>
  return
}

// -----

func.func @call_custom_1(%x: memref<12xf32>, %y: memref<24xf32>, %status: memref<1xi32>) {
  // expected-error@+1 {{expects 2 shapes and types, found 1 and 2}}
  task.call_custom "upsample" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [], shapes = [array<i64: 3, 4>]}
      : (memref<12xf32>), (memref<24xf32>), memref<1xi32>
  return
}

// -----

func.func @call_custom_2(%x: memref<12xf32>, %y: memref<24xf32>, %status: memref<1xi32>) {
  // expected-error@+1 {{expects the name of a C function that does not begin with 'convoy', found "up sample"}}
  task.call_custom "up sample" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [], shapes = [array<i64: 3, 4>, array<i64: 3, 8>]}
      : (memref<12xf32>), (memref<24xf32>), memref<1xi32>
  return
}
