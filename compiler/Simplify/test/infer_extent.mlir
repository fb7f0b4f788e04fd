// RUN: convoy-opt %s -split-input-file -verify-diagnostics -convoy-graph-infer-types

func.func @compress_takes_a_vector(%x: tensor<4xf32>, %c: tensor<4xi8>) -> tensor<*xf32> {
  // expected-error@+1 {{expects a condition that is a vector of i1, got 'tensor<4xi8>' [bounded_compress.2]}}
  %y, %n = graph.bounded_compress %x, %c : (tensor<4xf32>, tensor<4xi8>) -> (tensor<*xf32>, tensor<1xi64>)
  return %y : tensor<*xf32>
}

// -----

func.func @compress_axis_in_range(%x: tensor<4xf32>, %c: tensor<4xi1>) -> tensor<*xf32> {
  // expected-error@+1 {{[bounded_compress.1]}}
  %y, %n = graph.bounded_compress %x, %c {axis = 1 : i64} : (tensor<4xf32>, tensor<4xi1>) -> (tensor<*xf32>, tensor<1xi64>)
  return %y : tensor<*xf32>
}

// -----

func.func @non_zero_of_numbers(%x: tensor<4x!graph.string>) -> tensor<?x?xi64> {
  // expected-error@+1 {{expects an input of a numeric type, got 'tensor<4x!graph.string>' [bounded_non_zero.1]}}
  %y, %n = graph.bounded_non_zero %x : (tensor<4x!graph.string>) -> (tensor<?x?xi64>, tensor<1xi64>)
  return %y : tensor<?x?xi64>
}

// -----

func.func @sort_numbers(%x: tensor<1x4x1x!graph.string>) -> tensor<?x?x?xi64> {
  // expected-error@+1 {{expects an input of a numeric type, got 'tensor<1x4x1x!graph.string>' [sort_slices.1]}}
  %y = graph.sort_slices %x {descending = false} : (tensor<1x4x1x!graph.string>) -> tensor<?x?x?xi64>
  return %y : tensor<?x?x?xi64>
}

// -----

func.func @groups_need_their_order(%x: tensor<4x1xf32>, %o: tensor<2x1x5xi64>) -> tensor<?x?xi64> {
  // expected-error@+1 {{expects the order of the slices of 'tensor<4x1xf32>', got 'tensor<2x1x5xi64>' [group_slices.1]}}
  %y = graph.group_slices %x, %o {sorted = true} : (tensor<4x1xf32>, tensor<2x1x5xi64>) -> tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

// -----

func.func @unique_of_static_input(%x: tensor<?xf32>, %g: tensor<2x4xi64>) -> tensor<*xf32> {
  // expected-error@+1 {{expects an input of static shape, got 'tensor<?xf32>' [bounded_unique.1]}}
  %y, %i, %c, %n = graph.bounded_unique %x, %g : (tensor<?xf32>, tensor<2x4xi64>) -> (tensor<*xf32>, tensor<*xi64>, tensor<*xi64>, tensor<1xi64>)
  return %y : tensor<*xf32>
}

// -----

func.func @unique_needs_its_groups(%x: tensor<4xf32>, %g: tensor<2x3xi64>) -> tensor<*xf32> {
  // expected-error@+1 {{expects groups of type tensor<2x4xi64>, got 'tensor<2x3xi64>' [bounded_unique.2]}}
  %y, %i, %c, %n = graph.bounded_unique %x, %g : (tensor<4xf32>, tensor<2x3xi64>) -> (tensor<*xf32>, tensor<*xi64>, tensor<*xi64>, tensor<1xi64>)
  return %y : tensor<*xf32>
}

// -----

func.func @boxes_have_static_shapes(%b: tensor<1x?x4xf32>, %s: tensor<1x2x6xf32>, %o: tensor<2x2x6xi64>) -> tensor<?x3xi64> {
  // expected-error@+1 {{expects boxes N x B x 4 and scores N x classes x B of static shape, got 'tensor<1x?x4xf32>' and 'tensor<1x2x6xf32>' [bounded_suppression.1]}}
  %y, %n = graph.bounded_suppression %b, %s, %o {boxesAreCentered = false, maxRows = 6 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x?x4xf32>, tensor<1x2x6xf32>, tensor<2x2x6xi64>) -> (tensor<?x3xi64>, tensor<1xi64>)
  return %y : tensor<?x3xi64>
}

// -----

func.func @order_has_a_row_per_class(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %o: tensor<2x1x6xi64>) -> tensor<?x3xi64> {
  // expected-error@+1 {{expects boxes and an order that match 'tensor<1x2x6xf32>', got 'tensor<1x6x4xf32>' and 'tensor<2x1x6xi64>' [bounded_suppression.2]}}
  %y, %n = graph.bounded_suppression %b, %s, %o {boxesAreCentered = false, maxRows = 6 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<2x1x6xi64>) -> (tensor<?x3xi64>, tensor<1xi64>)
  return %y : tensor<?x3xi64>
}

// -----

func.func @classes_have_no_more_rows_than_boxes(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %o: tensor<2x2x6xi64>) -> tensor<?x3xi64> {
  // expected-error@+1 {{expects at most 6 rows per class, got 7 [bounded_suppression.3]}}
  %y, %n = graph.bounded_suppression %b, %s, %o {boxesAreCentered = false, maxRows = 7 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<2x2x6xi64>) -> (tensor<?x3xi64>, tensor<1xi64>)
  return %y : tensor<?x3xi64>
}
