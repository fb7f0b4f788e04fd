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
