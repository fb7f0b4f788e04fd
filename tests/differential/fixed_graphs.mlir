// Graphs on which this machine's CPU and the reference once differed, smallest
// form. Inputs are random, special values among them.

// The integer part of a reciprocal, and exponents beyond 63.
func.func @integer_powers(%x: tensor<5x3xi32>, %y: tensor<3xi32>, %a: tensor<9xi8>, %b: tensor<9xi8>, %c: tensor<7xui8>, %d: tensor<7xi64>) -> (tensor<5x3xi32>, tensor<9xi8>, tensor<7xui8>) {
  %0 = graph.binary pow %x, %y : (tensor<5x3xi32>, tensor<3xi32>) -> tensor<5x3xi32>
  %1 = graph.binary pow %a, %b : (tensor<9xi8>, tensor<9xi8>) -> tensor<9xi8>
  %2 = graph.binary pow %c, %d : (tensor<7xui8>, tensor<7xi64>) -> tensor<7xui8>
  return %0, %1, %2 : tensor<5x3xi32>, tensor<9xi8>, tensor<7xui8>
}

// -----

// Column-major counts over three dimensions; NaN is the largest, the first of them.
func.func @pool_indices(%x: tensor<1x3x4x5x6xf32>) -> (tensor<1x3x3x4x5xi64>, tensor<1x3x3x4x5xi64>) {
  %v, %i = graph.max_pool %x {ceilMode = false, columnMajor = true, dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<1x3x4x5x6xf32>) -> (tensor<1x3x3x4x5xf32>, tensor<1x3x3x4x5xi64>)
  %w, %j = graph.max_pool %x {ceilMode = false, columnMajor = false, dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<1x3x4x5x6xf32>) -> (tensor<1x3x3x4x5xf32>, tensor<1x3x3x4x5xi64>)
  return %i, %j : tensor<1x3x3x4x5xi64>, tensor<1x3x3x4x5xi64>
}

// -----

func.func @nan_wins_arg_reduce(%x: tensor<9x17xf32>) -> (tensor<17xi64>, tensor<17xi64>, tensor<9xi64>, tensor<9xi64>) {
  %0 = graph.arg_reduce %x {axis = 0 : i64, keepDims = false, selectLast = false, takesMax = true} : (tensor<9x17xf32>) -> tensor<17xi64>
  %1 = graph.arg_reduce %x {axis = 0 : i64, keepDims = false, selectLast = true, takesMax = true} : (tensor<9x17xf32>) -> tensor<17xi64>
  %2 = graph.arg_reduce %x {axis = 1 : i64, keepDims = false, selectLast = false, takesMax = false} : (tensor<9x17xf32>) -> tensor<9xi64>
  %3 = graph.arg_reduce %x {axis = 1 : i64, keepDims = false, selectLast = true, takesMax = false} : (tensor<9x17xf32>) -> tensor<9xi64>
  return %0, %1, %2, %3 : tensor<17xi64>, tensor<17xi64>, tensor<9xi64>, tensor<9xi64>
}

// -----

func.func @nan_is_largest_in_top_k(%x: tensor<10x8xf16>) -> (tensor<4x8xf16>, tensor<4x8xi64>, tensor<9x8xf16>, tensor<9x8xi64>) {
  %k = graph.constant dense<4> : tensor<1xi64>
  %n = graph.constant dense<9> : tensor<1xi64>
  %0, %1 = graph.top_k %x, %k {axis = 0 : i64, largest = true, sorted = true} : (tensor<10x8xf16>, tensor<1xi64>) -> (tensor<4x8xf16>, tensor<4x8xi64>)
  %2, %3 = graph.top_k %x, %n {axis = 0 : i64, largest = false, sorted = true} : (tensor<10x8xf16>, tensor<1xi64>) -> (tensor<9x8xf16>, tensor<9x8xi64>)
  return %0, %1, %2, %3 : tensor<4x8xf16>, tensor<4x8xi64>, tensor<9x8xf16>, tensor<9x8xi64>
}

// -----

// Out of range saturates, NaN gives 0.
func.func @floats_saturate(%x: tensor<7x11xf32>) -> (tensor<7x11xui8>, tensor<7x11xi8>, tensor<7x11xi16>, tensor<7x11xi32>, tensor<7x11xui32>, tensor<7x11xi64>, tensor<7x11xui64>) {
  %0 = graph.cast %x {to = ui8} : (tensor<7x11xf32>) -> tensor<7x11xui8>
  %1 = graph.cast %x {to = i8} : (tensor<7x11xf32>) -> tensor<7x11xi8>
  %2 = graph.cast %x {to = i16} : (tensor<7x11xf32>) -> tensor<7x11xi16>
  %3 = graph.cast %x {to = i32} : (tensor<7x11xf32>) -> tensor<7x11xi32>
  %4 = graph.cast %x {to = ui32} : (tensor<7x11xf32>) -> tensor<7x11xui32>
  %5 = graph.cast %x {to = i64} : (tensor<7x11xf32>) -> tensor<7x11xi64>
  %6 = graph.cast %x {to = ui64} : (tensor<7x11xf32>) -> tensor<7x11xui64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<7x11xui8>, tensor<7x11xi8>, tensor<7x11xi16>, tensor<7x11xi32>, tensor<7x11xui32>, tensor<7x11xi64>, tensor<7x11xui64>
}

// -----

// The quotient has the type of the scale.
func.func @quantize_narrow_floats(%x: tensor<200xf16>, %y: tensor<200xbf16>, %z: tensor<200xf32>) -> (tensor<200xi8>, tensor<200xui8>, tensor<200xi8>) {
  %s = graph.constant dense<0.0123> : tensor<f16>
  %t = graph.constant dense<0.0123> : tensor<bf16>
  %u = graph.constant dense<0.0123> : tensor<f32>
  %0 = graph.quantize_linear %x, %s {axis = 0 : i64, to = i8} : (tensor<200xf16>, tensor<f16>) -> tensor<200xi8>
  %1 = graph.quantize_linear %y, %t {axis = 0 : i64, to = ui8} : (tensor<200xbf16>, tensor<bf16>) -> tensor<200xui8>
  %2 = graph.quantize_linear %z, %u {axis = 0 : i64, to = i8} : (tensor<200xf32>, tensor<f32>) -> tensor<200xi8>
  return %0, %1, %2 : tensor<200xi8>, tensor<200xui8>, tensor<200xi8>
}

// -----

// Sums of integers are read beyond their width.
func.func @integer_reductions(%x: tensor<6x40xi8>, %y: tensor<3x9xui32>, %z: tensor<5x7xi64>) -> (tensor<6x1xi8>, tensor<6x1xi8>, tensor<3x1xui32>, tensor<5x1xi64>, tensor<5x1xi64>) {
  %axis = graph.constant dense<1> : tensor<1xi64>
  %0 = graph.reduce mean %x over %axis {keepDims = true} : (tensor<6x40xi8>, tensor<1xi64>) -> tensor<6x1xi8>
  %1 = graph.reduce log_sum_exp %x over %axis {keepDims = true} : (tensor<6x40xi8>, tensor<1xi64>) -> tensor<6x1xi8>
  %2 = graph.reduce l2 %y over %axis {keepDims = true} : (tensor<3x9xui32>, tensor<1xi64>) -> tensor<3x1xui32>
  %3 = graph.reduce l2 %z over %axis {keepDims = true} : (tensor<5x7xi64>, tensor<1xi64>) -> tensor<5x1xi64>
  %4 = graph.reduce mean %z over %axis {keepDims = true} : (tensor<5x7xi64>, tensor<1xi64>) -> tensor<5x1xi64>
  return %0, %1, %2, %3, %4 : tensor<6x1xi8>, tensor<6x1xi8>, tensor<3x1xui32>, tensor<5x1xi64>, tensor<5x1xi64>
}

// -----

// Carried values change places, one of them as a view.
func.func @loop_exchanges(%x: tensor<5xf32>, %y: tensor<5xf32>, %z: tensor<1x5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>) {
  %trips = graph.constant dense<4> : tensor<i64>
  %0:3 = graph.loop %trips, %x, %y, %z {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<1x5xf32>):
    %flat = graph.constant dense<5> : tensor<1xi64>
    %row = graph.constant dense<[1, 5]> : tensor<2xi64>
    %1 = graph.reshape %c, %flat : (tensor<1x5xf32>, tensor<1xi64>) -> tensor<5xf32>
    %2 = graph.reshape %a, %row : (tensor<5xf32>, tensor<2xi64>) -> tensor<1x5xf32>
    graph.yield %go, %b, %1, %2 : tensor<i1>, tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>
  } {operandSegmentSizes = array<i32: 1, 0, 3>} : (tensor<i64>, tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<5xf32>, tensor<5xf32>, tensor<1x5xf32>
}

// -----

func.func @scan_along_other_axes(%s: tensor<3xf32>, %t: tensor<3xf32>, %x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>) {
  %0:3 = graph.scan %s, %t, %x {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>):
    %1 = graph.binary min %a, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    graph.yield %b, %1, %a : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  } {inputAxes = array<i64: 1>, inputReverse = array<i1: true>, outputAxes = array<i64: 1>, outputReverse = array<i1: false>, operandSegmentSizes = array<i32: 2, 1>} : (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>
}
