// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-graph-lower-composites))' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -mlir-print-debuginfo -pass-pipeline='builtin.module(func.func(convoy-graph-lower-composites))' | FileCheck %s --check-prefix=LOC

// compiler/Simplify/test/lower_composites_test.cpp checks the values.

// CHECK-LABEL: func.func @softmax_is_two_reductions
// CHECK: %[[MAX:.*]] = graph.reduce max %arg0 over %{{.*}} -> tensor<2x1xf32>
// CHECK: %[[SHIFTED:.*]] = graph.binary sub %arg0, %[[MAX]]
// CHECK: %[[EXP:.*]] = graph.unary exp %[[SHIFTED]]
// CHECK: %[[SUM:.*]] = graph.reduce sum %[[EXP]] over %{{.*}} -> tensor<2x1xf32>
// CHECK: %[[Y:.*]] = graph.binary div %[[EXP]], %[[SUM]]
// CHECK: return %[[Y]]
func.func @softmax_is_two_reductions(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %y = graph.softmax %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @log_softmax_of_halves_is_computed_in_f32
// CHECK: graph.cast %arg0 {{.*}} -> tensor<?x8xf32>
// CHECK: graph.unary log {{.*}} -> tensor<?x1xf32>
// CHECK: graph.cast {{.*}} -> tensor<?x8xf16>
func.func @log_softmax_of_halves_is_computed_in_f32(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %y = graph.softmax %x {axis = 1 : i64, isLog = true} : (tensor<?x8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// -----

// CHECK-LABEL: func.func @batch_norm_subtracts_the_mean_first
// CHECK: %[[FACTOR:.*]] = graph.binary div %arg1, %{{.*}} -> tensor<3xf32>
// CHECK: %[[CENTERD:.*]] = graph.binary sub %arg0
// CHECK: graph.reshape %[[FACTOR]], {{.*}} -> tensor<3x1x1xf32>
// CHECK: graph.binary mul %[[CENTERD]]
// CHECK-NOT: graph.batch_norm
func.func @batch_norm_subtracts_the_mean_first(%x: tensor<2x3x4x4xf32>, %v: tensor<3xf32>) -> tensor<2x3x4x4xf32> {
  %y = graph.batch_norm %x, %v, %v, %v, %v {epsilon = 1.0e-5 : f64}
      : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  return %y : tensor<2x3x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @one_hot_compares_with_a_range
// CHECK: %[[RANGE:.*]] = graph.range
// CHECK: %[[STEPS:.*]] = graph.reshape %[[RANGE]], {{.*}} -> tensor<1x5xi64>
// CHECK: graph.binary equal %{{.*}}, %[[STEPS]] : {{.*}} -> tensor<4x5xi1>
// CHECK: graph.select
func.func @one_hot_compares_with_a_range(%i: tensor<4xi32>, %values: tensor<2xf32>) -> tensor<4x5xf32> {
  %depth = graph.constant dense<5> : tensor<i64>
  %y = graph.one_hot %i, %depth, %values {axis = 1 : i64}
      : (tensor<4xi32>, tensor<i64>, tensor<2xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @lower_triangle_is_a_select
// CHECK: %[[KEPT:.*]] = graph.binary less_equal
// CHECK: graph.select %[[KEPT]], %arg0
func.func @lower_triangle_is_a_select(%x: tensor<2x3x4xi32>, %k: tensor<i64>) -> tensor<2x3x4xi32> {
  %y = graph.trilu %x, %k {upper = false} : (tensor<2x3x4xi32>, tensor<i64>) -> tensor<2x3x4xi32>
  return %y : tensor<2x3x4xi32>
}

// -----

// CHECK-LABEL: func.func @reversed_sequence_is_gathered
// CHECK: %[[INDEX:.*]] = graph.expand {{.*}} -> tensor<5x2x3xi64>
// CHECK: graph.gather_elements %arg0, %[[INDEX]] {axis = 0 : i64}
func.func @reversed_sequence_is_gathered(%x: tensor<5x2x3xf32>, %n: tensor<2xi64>) -> tensor<5x2x3xf32> {
  %y = graph.reverse_sequence %x, %n {batchAxis = 1 : i64, timeAxis = 0 : i64}
      : (tensor<5x2x3xf32>, tensor<2xi64>) -> tensor<5x2x3xf32>
  return %y : tensor<5x2x3xf32>
}

// -----

// The numbers are those of NumPy's generator with the same seed.

// CHECK-LABEL: func.func @random_numbers_are_constants
// CHECK-NOT: graph.random
// CHECK: %[[N:.*]] = graph.constant dense<[0.548813522, 0.715189338]> : tensor<2xf32>
// CHECK: return %[[N]]
func.func @random_numbers_are_constants() -> tensor<2xf32> {
  %y = graph.random {distribution = "uniform", to = f32, shape = array<i64: 2>, a = 0.0 : f64, b = 1.0 : f64, seed = 0.0 : f64}
      : () -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @a_draw_from_probabilities_is_a_comparison
// CHECK: %[[U:.*]] = graph.constant {{.*}} : tensor<4xf64>
// CHECK: %[[P:.*]] = graph.cast %arg0 {{.*}} -> tensor<4xf64>
// CHECK: %[[L:.*]] = graph.binary less %[[U]], %[[P]]
// CHECK: graph.cast %[[L]] {{.*}} -> tensor<4xf32>
func.func @a_draw_from_probabilities_is_a_comparison(%p: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.random %p {distribution = "bernoulli", to = f32, shape = array<i64>, seed = 3.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// More numbers than 2^24 stay an op, which compiled code rejects.

// CHECK-LABEL: func.func @too_many_numbers_stay
// CHECK: graph.random
func.func @too_many_numbers_stay() -> tensor<4097x4096xf32> {
  %y = graph.random {distribution = "normal", to = f32, shape = array<i64: 4097, 4096>, a = 0.0 : f64, b = 1.0 : f64, seed = 0.0 : f64}
      : () -> tensor<4097x4096xf32>
  return %y : tensor<4097x4096xf32>
}

// -----

// One product of all time steps with the weights precedes the scan; the body keeps
// the product with the state. New ops have the layer's location.

// CHECK-LABEL: func.func @lstm_multiplies_the_input_once
// CHECK: graph.matmul {{.*}} : (tensor<12x3xf32>, tensor<3x16xf32>) -> tensor<12x16xf32>
// CHECK: %[[SCAN:.*]]:3 = graph.scan
// CHECK: ^bb0(%[[H:.*]]: tensor<2x4xf32>, %[[C:.*]]: tensor<2x4xf32>, %[[P:.*]]: tensor<2x16xf32>):
// CHECK: %[[R:.*]] = graph.matmul %[[H]], %{{.*}} : (tensor<2x4xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
// CHECK: graph.binary add %[[P]], %[[R]]
// CHECK-NOT: graph.matmul
// CHECK: graph.yield {{.*}} : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
// CHECK: inputReverse = array<i1: true>
// CHECK-NOT: graph.lstm
// LOC-DAG: #[[LSTM:.*]] = loc("cell")
// LOC-DAG: graph.scan
// LOC-DAG: graph.unary sigmoid {{.*}} loc(#[[LSTM]])
func.func @lstm_multiplies_the_input_once(%x: tensor<6x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>) -> tensor<6x1x2x4xf32> {
  %y:3 = graph.lstm %x, %w, %r {hiddenSize = 4 : i64, direction = "reverse",
      activations = ["sigmoid", "tanh", "tanh"], activationAlpha = array<f64: 0.0, 0.0, 0.0>,
      activationBeta = array<f64: 0.0, 0.0, 0.0>, inputForget = false,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}
      : (tensor<6x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>) -> (tensor<6x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) loc("cell")
  return %y#0 : tensor<6x1x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @open_shapes_stay
// CHECK: graph.rnn
func.func @open_shapes_stay(%x: tensor<?x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<?x1x2x4xf32> {
  %y:2 = graph.rnn %x, %w, %r {hiddenSize = 4 : i64, direction = "forward", activations = ["tanh"],
      activationAlpha = array<f64: 0.0>, activationBeta = array<f64: 0.0>,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
      : (tensor<?x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<?x1x2x4xf32>, tensor<1x2x4xf32>)
  return %y#0 : tensor<?x1x2x4xf32>
}

// -----

// One gather, product and sum per axis, shrinking axes first; an axis of scale 1
// needs none.
// Each of the two taps has its own gather, so the lanes of the kernel read adjacent indices.
// CHECK-LABEL: func.func @linear_resize_sums_weighted_gathers
// CHECK-DAG: %[[FIRST:.*]] = graph.constant dense<[0, 2]> : tensor<2xi32>
// CHECK-DAG: %[[SECOND:.*]] = graph.constant dense<[1, 3]> : tensor<2xi32>
// CHECK-DAG: %[[READ0:.*]] = graph.gather %arg0, %[[FIRST]] {axis = 3 : i64} {{.*}} -> tensor<1x2x3x2xf32>
// CHECK-DAG: %[[READ1:.*]] = graph.gather %arg0, %[[SECOND]] {axis = 3 : i64} {{.*}} -> tensor<1x2x3x2xf32>
// CHECK-DAG: %[[PART0:.*]] = graph.binary mul %[[READ0]]
// CHECK-DAG: %[[PART1:.*]] = graph.binary mul %[[READ1]]
// CHECK: %[[Y:.*]] = graph.binary add %[[PART0]], %[[PART1]]
// CHECK: return %[[Y]]
func.func @linear_resize_sums_weighted_gathers(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32> {
  %s = graph.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %y = graph.resize %x, %s {axes = array<i64: 2, 3>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1, 0>}
      : (tensor<1x2x3x4xf32>, tensor<2xf32>) -> tensor<1x2x3x2xf32>
  return %y : tensor<1x2x3x2xf32>
}

// -----

// An antialiased resize to an eighth has many taps per position, which a reduction sums.
// CHECK-LABEL: func.func @many_taps_are_a_reduction
// CHECK: %[[READ:.*]] = graph.gather %arg0, {{.*}} {axis = 3 : i64}
// CHECK: %[[PRODUCT:.*]] = graph.binary mul %[[READ]]
// CHECK: %[[Y:.*]] = graph.reduce sum %[[PRODUCT]] {{.*}} -> tensor<1x2x3x2xf32>
// CHECK: return %[[Y]]
func.func @many_taps_are_a_reduction(%x: tensor<1x2x3x16xf32>) -> tensor<1x2x3x2xf32> {
  %s = graph.constant dense<[1.0, 0.125]> : tensor<2xf32>
  %y = graph.resize %x, %s {axes = array<i64: 2, 3>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = true, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1, 0>}
      : (tensor<1x2x3x16xf32>, tensor<2xf32>) -> tensor<1x2x3x2xf32>
  return %y : tensor<1x2x3x2xf32>
}

// -----

// CHECK-LABEL: func.func @nearest_resize_copies_elements
// CHECK: graph.gather %arg0, {{.*}} {axis = 0 : i64} : (tensor<2xi64>, tensor<4xi32>) -> tensor<4xi64>
// CHECK-NEXT: return
func.func @nearest_resize_copies_elements(%x: tensor<2xi64>) -> tensor<4xi64> {
  %s = graph.constant dense<[4]> : tensor<1xi64>
  %y = graph.resize %x, %s {axes = array<i64: 0>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 1>}
      : (tensor<2xi64>, tensor<1xi64>) -> tensor<4xi64>
  return %y : tensor<4xi64>
}

// -----

// CHECK-LABEL: func.func @resize_by_scales_of_run_time_stays
// CHECK: graph.resize
func.func @resize_by_scales_of_run_time_stays(%x: tensor<2x4xf32>, %s: tensor<1xf32>) -> tensor<2x8xf32> {
  %y = graph.resize %x, %s {axes = array<i64: 1>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, aspect = 0 : i32, cubicCoefficient = -0.75 : f64, excludeOutside = false, antialias = false, extrapolation = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1, 0>}
      : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// Nodes 0 -> 1 -> 0 form a cycle, so the pass does not lower the op.
// CHECK-LABEL: func.func @a_cycle_of_tree_nodes_stays
// CHECK: graph.tree_ensemble
func.func @a_cycle_of_tree_nodes_stays(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %y = graph.tree_ensemble %x {trees = {nodes_featureids = array<i64: 0, 0>, nodes_truenodeids = array<i64: 1, 0>, nodes_falsenodeids = array<i64: 0, 0>, nodes_trueleafs = array<i64: 0, 0>, nodes_falseleafs = array<i64: 1, 1>, nodes_missing_value_tracks_true = array<i64: 0, 0>, nodes_splits = array<f64: 0.0, 0.0>, nodes_modes = array<f64: 0.0, 0.0>, membership_values = array<f64>, leaf_targetids = array<i64: 0>, leaf_weights = array<f64: 1.0>, tree_roots = array<i64: 0>, n_targets = 1 : i64, aggregate_function = 1 : i64, post_transform = 0 : i64}}
      : (tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// -----

// The split stays 0: the smallest number above it is subnormal, and some programs flush subnormals.
// CHECK-LABEL: func.func @a_split_of_zero_stays
// CHECK-COUNT-2: graph.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: graph.binary less_equal %arg0, %{{.*}} : (tensor<4x1xf32>, tensor<1x1xf32>)
func.func @a_split_of_zero_stays(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %y = graph.tree_ensemble %x {trees = {nodes_featureids = array<i64: 0>, nodes_truenodeids = array<i64: 0>,
      nodes_falsenodeids = array<i64: 1>, nodes_trueleafs = array<i64: 1>, nodes_falseleafs = array<i64: 1>,
      nodes_missing_value_tracks_true = array<i64: 0>, nodes_splits = array<f64: 0.0>, nodes_modes = array<f64: 0.0>,
      membership_values = array<f64>, leaf_targetids = array<i64: 0, 0>, leaf_weights = array<f64: 1.0, 2.0>,
      tree_roots = array<i64: 0>, n_targets = 1 : i64, aggregate_function = 1 : i64, post_transform = 0 : i64}}
      : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}

// -----

// The rank of a feature that is equal to a split is odd, so equality is a comparison of ranks, too.
// CHECK-LABEL: func.func @equality_compares_ranks
// CHECK-NOT: f64
// CHECK: graph.binary equal {{.*}} : (tensor<4x1xf32>
// CHECK-NOT: f64
// CHECK: return
func.func @equality_compares_ranks(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %y = graph.tree_ensemble %x {trees = {nodes_featureids = array<i64: 0, 0>, nodes_truenodeids = array<i64: 0, 1>,
      nodes_falsenodeids = array<i64: 1, 2>, nodes_trueleafs = array<i64: 1, 1>, nodes_falseleafs = array<i64: 0, 1>,
      nodes_missing_value_tracks_true = array<i64: 0, 1>, nodes_splits = array<f64: 3.0, 1.5>,
      nodes_modes = array<f64: 4.0, 1.0>, membership_values = array<f64>, leaf_targetids = array<i64: 0, 0, 0>,
      leaf_weights = array<f64: 1.0, 2.0, 4.0>, tree_roots = array<i64: 0>, n_targets = 1 : i64,
      aggregate_function = 1 : i64, post_transform = 0 : i64}} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}
