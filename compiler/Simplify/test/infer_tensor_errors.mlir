// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-graph-infer-types))'

// One function per constraint of Tensor.td that a type rule checks.

func.func @reshape_1_two_inferred(%x: tensor<4xf32>) {
  %s = graph.constant dense<[-1, -1]> : tensor<2xi64>
  // expected-error@+1 {{expects non-negative sizes and at most one -1 in 'shape', got -1 at position 1 [reshape.1]}}
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @reshape_1_not_divisible(%x: tensor<4xf32>) {
  %s = graph.constant dense<[-1, 3]> : tensor<2xi64>
  // expected-error@+1 {{cannot infer the -1 in 'shape': 4 elements are not divisible by 3 [reshape.1]}}
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @reshape_2_zero_copies_nothing(%x: tensor<4xf32>) {
  %s = graph.constant dense<[4, 0]> : tensor<2xi64>
  // expected-error@+1 {{has a 0 at position 1 of 'shape', but there is no dimension to copy in 'tensor<4xf32>' [reshape.2]}}
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @reshape_3_other_count(%x: tensor<4xf32>) {
  %s = graph.constant dense<[5]> : tensor<1xi64>
  // expected-error@+1 {{produces 'tensor<5xf32>' from 'tensor<4xf32>', which has a different number of elements [reshape.3]}}
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @reshape_by_floats(%x: tensor<4xf32>, %s: tensor<1xf32>) {
  // expected-error@+1 {{expects 'shape' to have an integer type, got 'tensor<1xf32>'}}
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<1xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @reshape_to_too_many_elements(%x: tensor<*xf32>) {
  %s = graph.constant dense<[4294967296, 4294967296]> : tensor<2xi64>
  // expected-error@+1 {{more than 2^48 elements}}
  %y = graph.reshape %x, %s : (tensor<*xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @reshape_to_too_many_dimensions(%x: tensor<4xf32>, %s: tensor<1000000000000xi64>) {
  // expected-error@+1 {{produces a tensor of 1000000000000 dimensions, expected at most 64}}
  %y = graph.reshape %x, %s : (tensor<4xf32>, tensor<1000000000000xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @transpose_1(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{expects a permutation of the dimensions of 'tensor<4x4xf32>', got [0, 0] [transpose.1]}}
  %y = graph.transpose %x {perm = array<i64: 0, 0>} : (tensor<4x4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @slice_1(%x: tensor<4xf32>, %s: tensor<1xi64>, %e: tensor<2xi64>) {
  // expected-error@+1 {{expects 1 values in 'ends', got 2 [slice.1]}}
  %y = graph.slice %x, %s, %e {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
      : (tensor<4xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @slice_2_step(%x: tensor<4xf32>, %s: tensor<1xi64>) {
  %zero = graph.constant dense<0> : tensor<1xi64>
  // expected-error@+1 {{has a step of 0, expected non-zero steps [slice.2]}}
  %y = graph.slice %x, %s, %s, %zero, %zero {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}
      : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @slice_2_axes(%x: tensor<4xf32>, %s: tensor<2xi64>) {
  %axes = graph.constant dense<[0, -1]> : tensor<2xi64>
  // expected-error@+1 {{has axis -1 twice, expected distinct axes [slice.2]}}
  %y = graph.slice %x, %s, %s, %axes {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}
      : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @concat_1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects an axis in [0, 1), got 1 [concat.1]}}
  %y = graph.concat %x, %x {axis = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @concat_2(%x: tensor<4x1xf32>, %z: tensor<3x1xf32>) {
  // expected-error@+1 {{cannot concatenate 'tensor<3x1xf32>': its shape differs from the earlier inputs in a dimension other than axis 1 [concat.2]}}
  %y = graph.concat %x, %z {axis = 1 : i64} : (tensor<4x1xf32>, tensor<3x1xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @split_1_sum(%x: tensor<4xf32>) {
  %s = graph.constant dense<[1, 2]> : tensor<2xi64>
  // expected-error@+1 {{expects non-negative sizes that sum to 4, got [1, 2] [split.1]}}
  %y:2 = graph.split %x, %s {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @split_1_overflow(%x: tensor<?xf32>) {
  %s = graph.constant dense<[9223372036854775807, 9223372036854775807]> : tensor<2xi64>
  // expected-error@+1 {{expects non-negative sizes that sum to the size of the split dimension, got [9223372036854775807, 9223372036854775807] [split.1]}}
  %y:2 = graph.split %x, %s {axis = 0 : i64} : (tensor<?xf32>, tensor<2xi64>) -> (tensor<*xf32>, tensor<*xf32>)
  return
}

// -----

func.func @expand_1(%x: tensor<4xf32>) {
  %s = graph.constant dense<[3]> : tensor<1xi64>
  // expected-error@+1 {{cannot broadcast 'tensor<4xf32>' and [3] [expand.1]}}
  %y = graph.expand %x, %s : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @tile_1(%x: tensor<4xf32>) {
  %r = graph.constant dense<[9223372036854775807]> : tensor<1xi64>
  // expected-error@+1 {{expects non-negative repeats and a size within int64, got 9223372036854775807 [tile.1]}}
  %y = graph.tile %x, %r : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @pad_1(%x: tensor<4xf32>, %p: tensor<3xi64>) {
  // expected-error@+1 {{expects 2 values in 'pads', got 3 [pad.1]}}
  %y = graph.pad %x, %p {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<3xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @pad_2(%x: tensor<4xf32>) {
  %p = graph.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  // expected-error@+1 {{pads dimension 0 of size 4 by -9223372036854775808 and 9223372036854775807, expected a resulting size of 0 or more [pad.2]}}
  %y = graph.pad %x, %p {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @gather_1(%x: tensor<4xf32>, %i: tensor<1xi64>) {
  // expected-error@+1 {{expects an axis in [0, 1), got -1 [gather.1]}}
  %y = graph.gather %x, %i {axis = -1 : i64} : (tensor<4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @gather_elements_1(%x: tensor<2x4xf32>, %i: tensor<3x4xi64>) {
  // expected-error@+1 {{expects indices with the rank of 'tensor<2x4xf32>' and with no larger dimension except along axis 1, got 'tensor<3x4xi64>' [gather_elements.1]}}
  %y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x4xf32>, tensor<3x4xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @gather_nd_1(%x: tensor<2x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@+1 {{expects the first 1 dimensions to be equal, got 'tensor<2x4xf32>' and 'tensor<3x1xi64>' [gather_nd.1]}}
  %y = graph.gather_nd %x, %i {batchDims = 1 : i64} : (tensor<2x4xf32>, tensor<3x1xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @gather_nd_2(%x: tensor<2x4xf32>, %i: tensor<3xi64>) {
  // expected-error@+1 {{expects index tuples of at most 2 entries, got 3 [gather_nd.2]}}
  %y = graph.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<2x4xf32>, tensor<3xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @scatter_elements_1(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error@+1 {{expects updates with the element type of 'tensor<4xf32>' and the shape of 'tensor<2xi64>', got 'tensor<3xf32>' [scatter_elements.1]}}
  %y = graph.scatter_elements %x, %i, %u {axis = 0 : i64, kind = 0 : i32} : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @scatter_nd_1(%x: tensor<4x2xf32>, %i: tensor<3x1xi64>, %u: tensor<3x3xf32>) {
  // expected-error@+1 {{expects updates that match the index tuples of 'tensor<3x1xi64>' into 'tensor<4x2xf32>', got 'tensor<3x3xf32>' [scatter_nd.1]}}
  %y = graph.scatter_nd %x, %i, %u {kind = 0 : i32} : (tensor<4x2xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @range_1_delta() {
  %a = graph.constant dense<0> : tensor<i64>
  %b = graph.constant dense<5> : tensor<i64>
  // expected-error@+1 {{expects finite operands and a delta that reaches the limit, got delta 0.000000e+00 [range.1]}}
  %y = graph.range %a, %b, %a : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<*xi64>
  return
}

// -----

func.func @range_1_types(%a: tensor<i64>, %b: tensor<f32>) {
  // expected-error@+1 {{expects three scalars of the same type, got 'tensor<f32>' and 'tensor<i64>' [range.1]}}
  %y = graph.range %a, %b, %a : (tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<*xi64>
  return
}

// -----

func.func @one_hot_1(%i: tensor<4xi64>, %d: tensor<i64>, %v: tensor<2xf32>) {
  // expected-error@+1 {{expects an axis in [0, 2), got 2 [one_hot.1]}}
  %y = graph.one_hot %i, %d, %v {axis = 2 : i64} : (tensor<4xi64>, tensor<i64>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @one_hot_2(%i: tensor<4xi64>, %v: tensor<2xf32>) {
  %d = graph.constant dense<-1> : tensor<i64>
  // expected-error@+1 {{expects one non-negative depth, got [-1] [one_hot.2]}}
  %y = graph.one_hot %i, %d, %v {axis = 0 : i64} : (tensor<4xi64>, tensor<i64>, tensor<2xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @trilu_1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects an input of rank 2 or more, got 'tensor<4xf32>' [trilu.1]}}
  %y = graph.trilu %x {upper = true} : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @reverse_sequence_1(%x: tensor<4x5xf32>, %l: tensor<4xi64>) {
  // expected-error@+1 {{has axis 0 twice, expected distinct axes [reverse_sequence.1]}}
  %y = graph.reverse_sequence %x, %l {batchAxis = 0 : i64, timeAxis = 0 : i64} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @reverse_sequence_2(%x: tensor<4x5xf32>, %l: tensor<3xi64>) {
  // expected-error@+1 {{expects 4 values in 'sequenceLens', got 3 [reverse_sequence.2]}}
  %y = graph.reverse_sequence %x, %l {batchAxis = 0 : i64, timeAxis = 1 : i64} : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @compress_1(%x: tensor<4xf32>, %c: tensor<4xi1>) {
  // expected-error@+1 {{expects an axis in [0, 1), got 1 [compress.1]}}
  %y = graph.compress %x, %c {axis = 1 : i64} : (tensor<4xf32>, tensor<4xi1>) -> tensor<*xf32>
  return
}

// -----

func.func @compress_2(%x: tensor<2xf32>) {
  %c = graph.constant dense<[false, false, true]> : tensor<3xi1>
  // expected-error@+1 {{selects slice 2 of a dimension of size 2 [compress.2]}}
  %y = graph.compress %x, %c : (tensor<2xf32>, tensor<3xi1>) -> tensor<*xf32>
  return
}

// -----

func.func @non_zero_1(%x: tensor<2x!graph.string>) {
  // expected-error@+1 {{expects an input of a numeric type, got 'tensor<2x!graph.string>' [non_zero.1]}}
  %y = graph.non_zero %x : (tensor<2x!graph.string>) -> tensor<*xi64>
  return
}

// -----

func.func @unique_1(%x: tensor<2xf32>) {
  // expected-error@+1 {{expects an axis in [0, 1), got 1 [unique.1]}}
  %y:4 = graph.unique %x {axis = 1 : i64, sorted = true} : (tensor<2xf32>) -> (tensor<*xf32>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>)
  return
}

// -----

func.func @unique_2(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{expects an input of a numeric type or strings, got 'tensor<2xcomplex<f32>>' [unique.2]}}
  %y:4 = graph.unique %x {sorted = true} : (tensor<2xcomplex<f32>>) -> (tensor<*xcomplex<f32>>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>)
  return
}

// -----

func.func @top_k_1(%x: tensor<2xf32>, %k: tensor<1xi64>) {
  // expected-error@+1 {{expects an axis in [0, 1), got -1 [top_k.1]}}
  %v, %i = graph.top_k %x, %k {axis = -1 : i64, largest = true, sorted = true} : (tensor<2xf32>, tensor<1xi64>) -> (tensor<*xf32>, tensor<*xi64>)
  return
}

// -----

func.func @top_k_2(%x: tensor<2xf32>) {
  %k = graph.constant dense<3> : tensor<1xi64>
  // expected-error@+1 {{expects k from 0 to the size of axis 0 of 'tensor<2xf32>', got 3 [top_k.2]}}
  %v, %i = graph.top_k %x, %k {axis = 0 : i64, largest = true, sorted = true} : (tensor<2xf32>, tensor<1xi64>) -> (tensor<*xf32>, tensor<*xi64>)
  return
}

// -----

func.func @col2im_1(%x: tensor<1x4x5xf32>) {
  %image = graph.constant dense<[3, 3]> : tensor<2xi64>
  %block = graph.constant dense<[2, 2]> : tensor<2xi64>
  // expected-error@+1 {{expects an input of batch x (channels * 4) x 4, got 'tensor<1x4x5xf32>' [col2im.1]}}
  %y = graph.col2im %x, %image, %block {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @col2im_2(%x: tensor<1x4x4xf32>) {
  %image = graph.constant dense<[3, 3]> : tensor<2xi64>
  %block = graph.constant dense<[2, 2]> : tensor<2xi64>
  // expected-error@+1 {{all below 2^31 [col2im.2]}}
  %y = graph.col2im %x, %image, %block {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 0, 1>}
      : (tensor<1x4x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<*xf32>
  return
}

// -----

func.func @bitcast_1(%x: tensor<2xf32>) {
  // expected-error@+1 {{expects a target type of 32 bits, got 'i64' for 'tensor<2xf32>' [bitcast.1]}}
  %y = graph.bitcast %x {to = i64} : (tensor<2xf32>) -> tensor<*xi64>
  return
}
