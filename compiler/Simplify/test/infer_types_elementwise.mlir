// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// CHECK-LABEL: func.func @an_open_dimension_takes_the_size_it_meets
// CHECK-SAME: -> (tensor<4x3xf32>, tensor<?x3xf32>, tensor<*xf32>)
func.func @an_open_dimension_takes_the_size_it_meets(%a: tensor<?x3xf32>, %b: tensor<4x1xf32>, %c: tensor<1x3xf32>, %d: tensor<*xf32>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
  %0 = graph.binary add %a, %b : (tensor<?x3xf32>, tensor<4x1xf32>) -> tensor<*xf32>
  %1 = graph.binary add %a, %c : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<*xf32>
  %2 = graph.binary add %a, %d : (tensor<?x3xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// [unary.1] [binary.2]
// CHECK-LABEL: func.func @predicates_give_booleans
// CHECK-SAME: -> (tensor<2xi1>, tensor<2xi1>)
func.func @predicates_give_booleans(%a: tensor<2xf16>) -> (tensor<*xi1>, tensor<*xi1>) {
  %0 = graph.unary is_nan %a : (tensor<2xf16>) -> tensor<*xi1>
  %1 = graph.binary less %a, %a : (tensor<2xf16>, tensor<2xf16>) -> tensor<*xi1>
  return %0, %1 : tensor<*xi1>, tensor<*xi1>
}

// -----

// CHECK-LABEL: func.func @the_exponent_may_have_another_type
// CHECK-SAME: -> tensor<2xf32>
func.func @the_exponent_may_have_another_type(%a: tensor<2xf32>, %b: tensor<i64>) -> tensor<*xf32> {
  %0 = graph.binary pow %a, %b : (tensor<2xf32>, tensor<i64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @shapes_must_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{has operands whose shapes do not broadcast: 'tensor<2x3xf32>' 'tensor<2x4xf32>'; dimensions aligned from the last must be equal or 1}}
  %0 = graph.binary add %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @operands_have_one_type(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error@+1 {{add expects operands of the same element type, got 'f32' and 'f16'; insert a Cast}}
  %0 = graph.binary add %a, %b : (tensor<2xf32>, tensor<2xf16>) -> tensor<*xf32>
  return
}

// -----

func.func @logic_takes_booleans(%a: tensor<2xi8>) {
  // expected-error@+1 {{and expects bool, got 'i8'}}
  %0 = graph.binary and %a, %a : (tensor<2xi8>, tensor<2xi8>) -> tensor<*xi8>
  return
}

// -----

func.func @shifts_take_integers(%a: tensor<2xf32>) {
  // expected-error@+1 {{shift_left expects an integer type, got 'f32'}}
  %0 = graph.binary shift_left %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @sums_of_strings_are_no_sums(%a: tensor<2x!graph.string>) {
  // expected-error@+1 {{add expects a numeric type, got '!graph.string'}}
  %0 = graph.binary add %a, %a : (tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<*x!graph.string>
  return
}

// -----

func.func @exp_takes_floats(%a: tensor<2xui8>) {
  // expected-error@+1 {{exp expects a floating-point type, got 'ui8'}}
  %0 = graph.unary exp %a : (tensor<2xui8>) -> tensor<*xui8>
  return
}

// -----

func.func @only_shrink_takes_integers(%a: tensor<2xi32>) {
  %0 = graph.activation shrink %a {alpha = 1.0, beta = 0.0} : (tensor<2xi32>) -> tensor<*xi32>
  // expected-error@+1 {{elu expects a floating-point type, got 'i32'}}
  %1 = graph.activation elu %a {alpha = 1.0} : (tensor<2xi32>) -> tensor<*xi32>
  return
}

// -----

func.func @a_condition_is_boolean(%a: tensor<2xf32>) {
  // expected-error@+1 {{condition expects bool, got 'f32'}}
  %0 = graph.select %a, %a, %a : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @choices_have_one_type(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{expects both values to have the same element type, got 'f32' and 'i32'; insert a Cast}}
  %0 = graph.select %c, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xi32>) -> tensor<*xf32>
  return
}

// -----

func.func @no_cast_to_complex(%a: tensor<2xf32>) {
  // expected-error@+1 {{not supported: cast to 'complex<f32>'; expected a numeric type, bool or string}}
  %0 = graph.cast %a {to = complex<f32>} : (tensor<2xf32>) -> tensor<*xcomplex<f32>>
  return
}
