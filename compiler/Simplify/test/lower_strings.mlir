// RUN: convoy-opt --convoy-graph-lower-strings -split-input-file %s | FileCheck %s

// The table has each string once, in the order of the constants.
// CHECK-LABEL: @labels_become_indices
// CHECK-SAME: -> (tensor<3xi64> {graph.labels = ["cat", "dog", ""]}, tensor<3xf32>)
// CHECK-DAG: %[[KEYS:.*]] = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-DAG: %[[VALUES:.*]] = graph.constant dense<[0, 1, 0]> : tensor<3xi64>
// CHECK-DAG: %[[OTHER:.*]] = graph.constant dense<2> : tensor<1xi64>
// CHECK: %[[Y:.*]] = graph.label_encode %arg0, %[[KEYS]], %[[VALUES]], %[[OTHER]] {{.*}} -> tensor<3xi64>
// CHECK: return %[[Y]], %arg1
func.func @labels_become_indices(%index: tensor<3xi64>, %scores: tensor<3xf32>) -> (tensor<3x!graph.string>, tensor<3xf32>) {
  %keys = graph.constant dense<[0, 1, 2]> : tensor<3xi64>
  %names = graph.constant dense<["cat", "dog", "cat"]> : tensor<3x!graph.string>
  %other = graph.constant dense<""> : tensor<1x!graph.string>
  %0 = graph.label_encode %index, %keys, %names, %other : (tensor<3xi64>, tensor<3xi64>, tensor<3x!graph.string>, tensor<1x!graph.string>) -> tensor<3x!graph.string>
  return %0, %scores : tensor<3x!graph.string>, tensor<3xf32>
}

// -----

// Exporters gather the names and reshape the result. A table from strings to numbers reads indices.
// CHECK-LABEL: @moved_strings_become_indices
// CHECK-SAME: (tensor<2x1xi64> {graph.labels = ["yes", "no"]}, tensor<2xf32>)
// CHECK: %[[NAMES:.*]] = graph.constant dense<[0, 1]> : tensor<2xi64>
// CHECK: %[[G:.*]] = graph.gather %[[NAMES]], %arg0 {{.*}} -> tensor<2xi64>
// CHECK: graph.reshape %[[G]], {{.*}} -> tensor<2x1xi64>
// CHECK: %[[KEYS:.*]] = graph.constant dense<[1, 0]> : tensor<2xi64>
// CHECK: graph.label_encode %[[G]], %[[KEYS]], {{.*}} -> tensor<2xf32>
func.func @moved_strings_become_indices(%index: tensor<2xi64>) -> (tensor<2x1x!graph.string>, tensor<2xf32>) {
  %names = graph.constant dense<["yes", "no"]> : tensor<2x!graph.string>
  %shape = graph.constant dense<[2, 1]> : tensor<2xi64>
  %0 = graph.gather %names, %index {axis = 0 : i64} : (tensor<2x!graph.string>, tensor<2xi64>) -> tensor<2x!graph.string>
  %1 = graph.reshape %0, %shape {allowZero = false} : (tensor<2x!graph.string>, tensor<2xi64>) -> tensor<2x1x!graph.string>
  %keys = graph.constant dense<["no", "yes"]> : tensor<2x!graph.string>
  %values = graph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %other = graph.constant dense<-1.0> : tensor<f32>
  %2 = graph.label_encode %0, %keys, %values, %other : (tensor<2x!graph.string>, tensor<2x!graph.string>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1, %2 : tensor<2x1x!graph.string>, tensor<2xf32>
}

// -----

// A string of an input can be any string.
// CHECK-LABEL: @strings_of_inputs_stay
// CHECK: graph.concat {{.*}} -> tensor<2x!graph.string>
func.func @strings_of_inputs_stay(%x: tensor<1x!graph.string>) -> tensor<2x!graph.string> {
  %name = graph.constant dense<"cat"> : tensor<1x!graph.string>
  %0 = graph.concat %x, %name {axis = 0 : i64} : (tensor<1x!graph.string>, tensor<1x!graph.string>) -> tensor<2x!graph.string>
  return %0 : tensor<2x!graph.string>
}
