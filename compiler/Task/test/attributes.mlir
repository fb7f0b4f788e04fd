// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{has the unknown attribute 'task.rnage'; expected one of: task.kernel, task.range, }}
func.func private @misspelled_range() attributes {task.kernel, task.rnage = 4 : i64} {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'task.range' to be an i64 of at least 0, found -1 : i64}}
func.func private @negative_range() attributes {task.kernel, task.range = -1 : i64} {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'task.rounds' to be an i64 of at least 1, found 0 : i64}}
func.func private @no_rounds() attributes {task.kernel, task.range = 4 : i64, task.rounds = 0 : i64} {
  return
}

// -----

// expected-error@+1 {{has the attribute 'task.threads', which belongs on a module}}
func.func private @threads_of_a_function() attributes {task.threads = 2 : i64} {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'task.prediction' to be a dictionary of the floats ns and serialNs, found {ns = 1.000000e+00 : f64}}}
module attributes {task.prediction = {ns = 1.0 : f64}} {
}

// -----

// expected-error@+1 {{expects the attribute 'task.rows' to be a dictionary of ends, inner, outer and reads, found {ends = array<i64: 4>}}}
func.func private @rows_without_steps() attributes {task.kernel, task.rows = {ends = array<i64: 4>}} {
  return
}

// -----

func.func @bands_without_group(%x: memref<4xf32>) {
  // expected-error@+1 {{expects the attribute 'task.bands' to be a dictionary of ends and group, found {ends = array<i64: 4>}}}
  call @k(%x) {task.bands = {ends = array<i64: 4>}} : (memref<4xf32>) -> ()
  return
}
func.func private @k(%x: memref<4xf32>)

// -----

// expected-error@+1 {{has the attribute 'task.in_arena', which belongs on an argument or a result of a function}}
func.func @arena_of_a_function() attributes {task.in_arena} {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'task.in_arena' to be a unit attribute, found true}}
func.func @arena_with_a_value(%x: tensor<4xi8> {task.in_arena = true}) {
  return
}

// -----

func.func @pace_without_direction(%x: memref<4xf32>) {
  // expected-error@+1 {{expects the attribute 'task.pace' to be a dictionary of descending, group, lag and stride, found {group = 0 : i64, lag = 0 : i64, stride = 1 : i64}}}
  call @k(%x) {task.pace = {group = 0 : i64, lag = 0 : i64, stride = 1 : i64}} : (memref<4xf32>) -> ()
  return
}
func.func private @k(%x: memref<4xf32>)

// -----

func.func @pace_without_progress(%x: memref<4xf32>) {
  // expected-error@+1 {{expects the attribute 'task.pace' to be a dictionary of descending, group, lag and stride, found {descending = false, group = 0 : i64, lag = 0 : i64, stride = 0 : i64}}}
  call @k(%x) {task.pace = {descending = false, group = 0 : i64, lag = 0 : i64, stride = 0 : i64}} : (memref<4xf32>) -> ()
  return
}
func.func private @k(%x: memref<4xf32>)

// -----

func.func @rings_of_a_number(%x: memref<4xf32>) {
  // expected-error@+1 {{expects the attribute 'task.rings' to be an array of i64, found 3 : i64}}
  call @k(%x) {task.rings = 3 : i64} : (memref<4xf32>) -> ()
  return
}
func.func private @k(%x: memref<4xf32>)
