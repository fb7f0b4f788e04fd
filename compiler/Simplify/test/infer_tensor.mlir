// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))' | FileCheck %s

// Type rules of ops that move elements: types that constants determine, and types
// that stay dynamic without constants.

// CHECK-LABEL: func.func @minus_one_is_inferred_beside_a_copied_open_dimension
// CHECK: graph.reshape {{.*}} -> tensor<?x12xf32>
func.func @minus_one_is_inferred_beside_a_copied_open_dimension(%x: tensor<?x3x4xf32>) {
  %s = graph.constant dense<[0, -1]> : tensor<2xi64>
  %y = graph.reshape %x, %s : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @a_shape_that_is_not_known_gives_the_rank
// CHECK: graph.reshape {{.*}} -> tensor<?x?x?xf32>
// CHECK: graph.reshape {{.*}} -> tensor<*xf32>
func.func @a_shape_that_is_not_known_gives_the_rank(%x: tensor<4xf32>, %s: tensor<3xi64>, %t: tensor<?xi64>) {
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<3xi64>) -> tensor<*xf32>
  %z = graph.reshape %x, %t : (tensor<4xf32>, tensor<?xi64>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @ends_of_a_slice_are_clamped
// CHECK: graph.slice {{.*}} -> tensor<2x4xf32>
// CHECK: graph.slice {{.*}} -> tensor<3x1xf32>
func.func @ends_of_a_slice_are_clamped(%x: tensor<3x4xf32>) {
  %starts = graph.constant dense<[-1, 9223372036854775807]> : tensor<2xi64>
  %ends = graph.constant dense<[-9223372036854775808, -9223372036854775808]> : tensor<2xi64>
  %axes = graph.constant dense<[0, -1]> : tensor<2xi64>
  %steps = graph.constant dense<[-2, -1]> : tensor<2xi64>
  %y = graph.slice %x, %starts, %ends, %axes, %steps {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}
      : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  %one = graph.constant dense<1> : tensor<1xi64>
  %least = graph.constant dense<-9223372036854775808> : tensor<1xi64>
  %z = graph.slice %x, %one, %least, %one, %least {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}
      : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @only_sliced_dimensions_open
// CHECK: graph.slice {{.*}} -> tensor<3x?xf32>
func.func @only_sliced_dimensions_open(%x: tensor<3x4xf32>, %start: tensor<1xi64>) {
  %one = graph.constant dense<1> : tensor<1xi64>
  %y = graph.slice %x, %start, %one, %one {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}
      : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @concat_learns_dimensions_from_every_input
// CHECK: graph.concat {{.*}} -> tensor<2x7xf32>
// CHECK: graph.concat {{.*}} -> tensor<2x?xf32>
func.func @concat_learns_dimensions_from_every_input(%a: tensor<?x3xf32>, %b: tensor<2x4xf32>, %c: tensor<*xf32>) {
  %y = graph.concat %a, %b {axis = 1 : i64} : (tensor<?x3xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  %z = graph.concat %b, %c {axis = 1 : i64} : (tensor<2x4xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @the_last_part_of_a_split_is_smaller
// CHECK: graph.split {{.*}} -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>)
// CHECK: graph.split {{.*}} -> (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<0xf32>)
func.func @the_last_part_of_a_split_is_smaller(%x: tensor<7xf32>, %y: tensor<5xf32>) {
  %a:3 = graph.split %x {axis = 0 : i64} : (tensor<7xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  %b:4 = graph.split %y {axis = 0 : i64} : (tensor<5xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @padding_may_remove
// CHECK: graph.pad {{.*}} -> tensor<2x3xf32>
func.func @padding_may_remove(%x: tensor<2x4xf32>) {
  %pads = graph.constant dense<[-2, 1]> : tensor<2xi64>
  %axes = graph.constant dense<-1> : tensor<1xi64>
  %y = graph.pad %x, %pads, %axes {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (tensor<2x4xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @index_tuples_leave_the_rest_of_the_shape
// CHECK: graph.gather_nd {{.*}} -> tensor<2x5x4xf32>
// CHECK: graph.gather {{.*}} -> tensor<2x5x1x4xf32>
func.func @index_tuples_leave_the_rest_of_the_shape(%x: tensor<2x3x4xf32>, %i: tensor<2x5x1xi64>, %j: tensor<5x1xi64>) {
  %y = graph.gather_nd %x, %i {batchDims = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x5x1xi64>) -> tensor<*xf32>
  %z = graph.gather %x, %j {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<5x1xi64>) -> tensor<*xf32>
  return
}

// -----

// CHECK-LABEL: func.func @sizes_that_depend_on_constant_data_are_known
// CHECK: graph.non_zero {{.*}} -> tensor<2x3xi64>
// CHECK: graph.compress {{.*}} -> tensor<2x1xf32>
// CHECK: graph.range {{.*}} -> tensor<4xi64>
func.func @sizes_that_depend_on_constant_data_are_known(%x: tensor<2x3xf32>) {
  %m = graph.constant dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>
  %n = graph.non_zero %m : (tensor<2x2xi64>) -> tensor<*xi64>
  %c = graph.constant dense<[false, true]> : tensor<2xi1>
  %k = graph.compress %x, %c {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi1>) -> tensor<*xf32>
  %start = graph.constant dense<10> : tensor<i64>
  %limit = graph.constant dense<0> : tensor<i64>
  %delta = graph.constant dense<-3> : tensor<i64>
  %r = graph.range %start, %limit, %delta : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return
}

// -----

// CHECK-LABEL: func.func @an_unknown_rank_is_no_error
// CHECK: graph.transpose {{.*}} -> tensor<?x?xf32>
// CHECK: graph.gather {{.*}} -> tensor<*xf32>
// CHECK: graph.shape {{.*}} -> tensor<?xi64>
// CHECK: graph.top_k {{.*}} -> (tensor<*xf32>, tensor<*xi64>)
func.func @an_unknown_rank_is_no_error(%x: tensor<*xf32>, %i: tensor<1xi64>) {
  %t = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %g = graph.gather %x, %i {axis = 3 : i64} : (tensor<*xf32>, tensor<1xi64>) -> tensor<*xf32>
  %s = graph.shape %x : (tensor<*xf32>) -> tensor<*xi64>
  %v, %j = graph.top_k %x, %i {axis = 0 : i64, largest = true, sorted = true} : (tensor<*xf32>, tensor<1xi64>) -> (tensor<*xf32>, tensor<*xi64>)
  return
}
