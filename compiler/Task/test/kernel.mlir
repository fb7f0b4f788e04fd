// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// A kernel on tensors, and a lowered kernel with all of its attributes.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = task.run @tensors(%x) {row_group = 0 : i64, descending} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @worker(%x: memref<4xf32>, %y: memref<4xf32>, %status: memref<1xi32>, %scratch: memref<8xi8>) {
  %c0 = arith.constant 0 : index
  task.call @lowered(%x, %y, %status, %scratch, %c0, %c0)
      {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>, rings = array<i64: 2, 0, 0, 0, 0, 0>}
      : memref<4xf32>, memref<4xf32>, memref<1xi32>, memref<8xi8>, index, index
  return
}
task.kernel @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  task.return %x : tensor<4xf32>
}
task.kernel @lowered(%x: memref<4xf32>, %y: memref<4xf32>, %status: memref<1xi32>, %scratch: memref<8xi8>,
                     %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<write>, #task.access<read_write>, #task.access<read_write>],
                range = 4 : i64, rounds = 2 : i64, joint = 2 : i64, scratch = 8 : i64, may_fail,
                in_place = array<i64: 0, 1>, overlaps = array<i64: 0, 1>, tensors = (tensor<4xf32>) -> tensor<4xf32>,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [4], reads = [array<i64>]>} {
  task.return
}

// -----

// expected-error@+1 {{attribute 'range' failed to satisfy constraint: 64-bit integer whose value is non-negative}}
task.kernel @negative_range(%begin: index, %end: index) attributes {range = -1 : i64} {
  task.return
}

// -----

// expected-error@+1 {{attribute 'rounds' failed to satisfy constraint: 64-bit integer whose value is positive}}
task.kernel @no_rounds(%begin: index, %end: index) attributes {range = 4 : i64, rounds = 0 : i64} {
  task.return
}

// -----

// [kernel.1]
// expected-error@+1 {{has no range, but an attribute of lowered kernels}}
task.kernel @rounds_of_tensors(%x: tensor<4xf32>) attributes {rounds = 2 : i64} {
  task.return
}

// -----

// [kernel.2]
// expected-error@+1 {{expects memory, sizes, begin and end as arguments and no results, found '(memref<4xf32>, index) -> ()'}}
task.kernel @no_end(%x: memref<4xf32>, %begin: index) attributes {range = 4 : i64} {
  task.return
}

// -----

// [kernel.3]
// expected-error@+1 {{expects the access of 1 memory arguments, found 2}}
task.kernel @too_many_accesses(%x: memref<4xf32>, %begin: index, %end: index)
    attributes {range = 4 : i64, access = [#task.access<read>, #task.access<read>]} {
  task.return
}

// -----

// [kernel.4]
// expected-error@+1 {{expects numbers of its 1 memory arguments, found 1}}
task.kernel @in_place_range(%x: memref<4xf32>, %begin: index, %end: index)
    attributes {range = 4 : i64, in_place = array<i64: 0, 1>} {
  task.return
}

// -----

task.kernel @wrong_return(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects values of the results of the kernel's type '(tensor<4xf32>) -> tensor<4xf32>'}}
  task.return
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects a task.kernel, found none named @main}}
  %0 = task.run @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects operands and results of the kernel's type '(tensor<8xf32>) -> tensor<4xf32>'}}
  %0 = task.run @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
task.kernel @k(tensor<8xf32>) -> tensor<4xf32>

// -----

func.func @main(%x: memref<4xf32>) {
  // expected-error@+1 {{expects a lowered task.kernel, found none named @k}}
  task.call @k(%x) : memref<4xf32>
  return
}
task.kernel @k(tensor<8xf32>) -> tensor<4xf32>

// -----

func.func @main(%x: memref<4xf32>, %i: index) {
  // expected-error@+1 {{expects operands of the kernel's type '(memref<8xf32>, index, index) -> ()'}}
  task.call @k(%x, %i, %i) : memref<4xf32>, index, index
  return
}
task.kernel @k(memref<8xf32>, index, index) attributes {range = 4 : i64}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects group >= 0, stride >= 1 and lag >= 0, found group 0, stride 0, lag 0}}
  %0 = task.run @k(%x) {pace = #task.pace<group = 0, stride = 0, lag = 0, descending = false>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{expects at least one outer step, inner step and chunk, found outer 1, inner 0 and 1 chunks}}
task.kernel @no_steps(%begin: index, %end: index) attributes {range = 4 : i64, rows = #task.row_steps<outer = 1, inner = 0, ends = [4], reads = []>} {
  task.return
}

// -----

// expected-error@+1 {{expects the size, stride and padding of a window, or an empty array, for each operand, found array<i64: 3>}}
task.kernel @short_window(%begin: index, %end: index) attributes {range = 4 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [4], reads = [array<i64: 3>]>} {
  task.return
}
