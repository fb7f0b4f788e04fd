// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{has the unknown attribute 'task.thraeds'; expected one of: task.programs, }}
func.func private @misspelled_threads() attributes {task.thraeds = 4 : i64} {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'task.probe' to be an integer, found "first"}}
module attributes {} { func.func @f() { return {task.probe = "first"} } }

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

// expected-error@+1 {{has the attribute 'task.in_arena', which belongs on an argument or a result of a function}}
func.func @arena_of_a_function() attributes {task.in_arena} {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'task.in_arena' to be a unit attribute, found true}}
func.func @arena_with_a_value(%x: tensor<4xi8> {task.in_arena = true}) {
  return
}
