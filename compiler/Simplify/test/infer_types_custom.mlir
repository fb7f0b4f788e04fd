// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// The rule reads dimensions, attributes and entries of attributes.
// CHECK-LABEL: func.func @expressions_compute_dimensions
// CHECK-SAME: -> (tensor<3x13x2xf32>, tensor<3x4xi64>)
func.func @expressions_compute_dimensions(%x: tensor<3x4xf32>) -> (tensor<*xf32>, tensor<*xi64>) {
  %0:2 = graph.custom %x {
    op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = ["k", "pads"],
    parameterValues = [2 : i64, array<i64: 1, 9>], resultTypes = ["x", "int64"],
    resultShapes = [["x[-2]", "(x[1] * k + pads[0]) + pads[1] / 2", "5 % x[0]"], "x"]
  } : (tensor<3x4xf32>) -> (tensor<*xf32>, tensor<*xi64>)
  return %0#0, %0#1 : tensor<*xf32>, tensor<*xi64>
}

// -----

// CHECK-LABEL: func.func @an_open_dimension_gives_an_open_dimension
// CHECK-SAME: -> (tensor<?x4xf32>, tensor<*xi1>)
func.func @an_open_dimension_gives_an_open_dimension(%x: tensor<?x4xf32>, %z: tensor<*xf32>)
    -> (tensor<*xf32>, tensor<*xi1>) {
  %0:2 = graph.custom %x, %z {
    op = "com.example.Op", function = "f", inputNames = ["x", "z"], parameterNames = [], parameterValues = [],
    resultTypes = ["x", "bool"], resultShapes = [["x[0] + 1", "x[1]"], "z"]
  } : (tensor<?x4xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<*xi1>)
  return %0#0, %0#1 : tensor<*xf32>, tensor<*xi1>
}

// -----

func.func @custom_1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects 1 names of inputs, got 0 [custom.1]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = [], parameterNames = [],
    parameterValues = [], resultTypes = ["float"], resultShapes = [["4"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_2(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects an i64, f32, string or array for each of 1 attributes, got [2 : i32] [custom.2]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = ["k"],
    parameterValues = [2 : i32], resultTypes = ["float"], resultShapes = [["4"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_3(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects the name of a type or an input, got 'string' [custom.3]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["string"], resultShapes = [["4"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_3_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects 1 types of results, got 2 [custom.3]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x", "x"], resultShapes = [["4"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_4_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects 1 shapes of results, got 0 [custom.4]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = []} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_4_unknown_input(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects an input or a list of dimensions as shape of output 0, got "z" [custom.4]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = ["z"]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_4_dimension(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot compute dimension 0 of output 0: the expression 'x[1]' reads dimension 1 of input 'x', which has 1 [custom.4]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = [["x[1]"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_4_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{computes -1 for dimension 0 of output 0 ("x[0] - 5"), expected at least 0 [custom.4]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = [["x[0] - 5"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_4_division(%x: tensor<4xf32>) {
  // expected-error@+1 {{the expression 'x[0] / 0' divides by 0, expected a positive number [custom.4]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = [["x[0] / 0"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_4_overflow(%x: tensor<4xf32>) {
  // expected-error@+1 {{the expression '9223372036854775807 + x[0]' exceeds the range of 64-bit integers [custom.4]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = [["9223372036854775807 + x[0]"]]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_5(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects the name of a C function that does not begin with 'convoy', got "f(){}" [custom.5]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "f(){}", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = ["x"]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @custom_5_prefix(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects the name of a C function that does not begin with 'convoy', got "convoy_run" [custom.5]}}
  %0 = graph.custom %x {op = "com.example.Op", function = "convoy_run", inputNames = ["x"], parameterNames = [],
    parameterValues = [], resultTypes = ["x"], resultShapes = ["x"]} : (tensor<4xf32>) -> tensor<*xf32>
  return
}
