// RUN: convoy-opt %s -split-input-file -verify-diagnostics

func.func @names_and_types_are_accepted(%x: memref<4xf32> {graph.name = "x", graph.type = tensor<4xf32>}, %w: tensor<4xf32> {graph.weight})
    -> (tensor<4xf32> {graph.name = "y"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error@+1 {{has the unknown attribute 'graph.nmae'; expected one of: graph.name, graph.type, graph.quantization, graph.weight, graph.dims, graph.labels, graph.extents}}
func.func @misspelled_name(%x: tensor<4xf32> {graph.nmae = "x"}) {
  return
}

// -----

func.func @scales_are_accepted(%x: tensor<4xi8> {graph.quantization = {axis = 0 : i64, scales = array<f32: 1.0, 0.5>, zero_points = array<i32: 0, 3>}}) {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'graph.quantization' to be a dictionary of scales, zero_points of the same length and axis, found}}
func.func @fewer_zero_points_than_scales(%x: tensor<4xi8> {graph.quantization = {axis = 0 : i64, scales = array<f32: 1.0, 0.5>, zero_points = array<i32: 0>}}) {
  return
}

// -----

// expected-error@+1 {{expects the attribute 'graph.name' to be a string, found 1 : i64}}
func.func @number_as_name(%x: tensor<4xf32> {graph.name = 1}) {
  return
}

// -----

// expected-error@+1 {{has the attribute 'graph.type', which belongs on an argument of a function}}
func.func @type_on_result(%x: tensor<4xf32>) -> (tensor<4xf32> {graph.type = tensor<4xf32>}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{has the attribute 'graph.name', which belongs on an argument or a result of a function}}
func.func @name_on_function() attributes {graph.name = "x"} {
  return
}
