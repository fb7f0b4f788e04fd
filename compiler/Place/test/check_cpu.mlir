// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(convoy-place-check-cpu)'

// All problems of a graph come out at once; inputs are named only where no op is
// (check_cpu_inputs.mlir).
func.func @every_problem_is_listed(%x: tensor<4xf32>, %axis: tensor<1xi64>, %s: tensor<2x!graph.string>) -> tensor<?x?xi64> {
  // expected-error@+1 {{not supported on the CPU: the size of its result depends on data; --target=reference runs it}}
  %0 = graph.non_zero %x : (tensor<4xf32>) -> tensor<?x?xi64>
  // expected-error@+1 {{not supported on the CPU: it works on strings}}
  %1 = graph.string_concat %s, %s : (tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<2x!graph.string>
  // expected-error@+1 {{not supported on the CPU: has 'axes' known only at run time; bind it with --const if it is a model input}}
  %2 = graph.reduce sum %x over %axis {keepDims = true} : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<?x?xi64>
}
