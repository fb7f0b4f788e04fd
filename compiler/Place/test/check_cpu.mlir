// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(convoy-place-check-cpu)'

// The pass reports all problems of a graph; it reports inputs only if no op has a problem
// (check_cpu_inputs.mlir).
func.func @every_problem_is_listed(%x: tensor<4xf32>, %axis: tensor<1xi64>, %s: tensor<2x!graph.string>) -> tensor<?x?xi64> {
  // expected-error@+1 {{not supported on the CPU: the size of its result depends on data; --target=reference runs it}}
  %0 = graph.non_zero %x : (tensor<4xf32>) -> tensor<?x?xi64>
  // expected-error@+1 {{not supported on the CPU: it works on strings, whose sizes are not known at compile time; replace them by integers before the model; --target=reference runs it}}
  %1 = graph.string_concat %s, %s : (tensor<2x!graph.string>, tensor<2x!graph.string>) -> tensor<2x!graph.string>
  // expected-error@+1 {{not supported on the CPU: has 'axes' known only at run time; bind it with --const if it is a model input}}
  %2 = graph.reduce sum %x over %axis {keepDims = true} : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<?x?xi64>
}

// The error of an op that only the reference runs says what to do instead.
func.func @images_and_many_random_numbers(%b: tensor<9xui8>) -> (tensor<?x?x3xui8>, tensor<4097x4096xf32>) {
  // expected-error@+1 {{not supported on the CPU: it decodes an image, whose format and size depend on data; decode the image before the model; --target=reference runs it}}
  %0 = graph.image_decode %b {format = "RGB"} : (tensor<9xui8>) -> tensor<?x?x3xui8>
  // expected-error@+1 {{not supported on the CPU: it draws more than 2^24 random numbers, which compiled code stores with the weights; give the numbers as an input of the model; --target=reference runs it}}
  %1 = graph.random {distribution = "uniform", to = f32, shape = array<i64: 4097, 4096>, a = 0.0 : f64, b = 1.0 : f64} : () -> tensor<4097x4096xf32>
  return %0, %1 : tensor<?x?x3xui8>, tensor<4097x4096xf32>
}

// The error names an input that determines a size and the flag that binds it, also if other ops process
// the input first.
func.func @inputs_to_bind_are_named(%x: tensor<2x6xf32> {graph.name = "x"}, %shape: tensor<2xi64> {graph.name = "shape"}, %k: tensor<1xi32> {graph.name = "k"}) -> (tensor<?x?xf32>, tensor<2x?xf32>) {
  // expected-error@+1 {{not supported on the CPU: the size of its result depends on data, the value of input 'shape'; bind it with --const shape=FILE.pb; --target=reference runs it}}
  %0 = graph.reshape %x, %shape : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %wide = graph.cast %k {to = i64} : (tensor<1xi32>) -> tensor<1xi64>
  // expected-error@+1 {{depends on data, the value of input 'k'; bind it with --const k=FILE.pb; --target}}
  %1, %i = graph.top_k %x, %wide {axis = 1 : i64, largest = true, sorted = true} : (tensor<2x6xf32>, tensor<1xi64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  return %0, %1 : tensor<?x?xf32>, tensor<2x?xf32>
}

func.func @several_inputs_are_bound_at_once(%x: tensor<2x6xf32> {graph.name = "x"}, %a: tensor<1xi64> {graph.name = "a"}, %b: tensor<1xi64> {graph.name = "b"}) -> tensor<?x?xf32> {
  %shape = graph.concat %a, %b {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  // expected-error@+1 {{depends on data, the values of inputs 'a', 'b'; bind them with --const a=FILE.pb --const b=FILE.pb; --target}}
  %0 = graph.reshape %x, %shape : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Binding the data would leave no op to run.
func.func @data_is_not_bound(%x: tensor<3x4xf32> {graph.name = "x"}) -> (tensor<2x?xi64>, tensor<?x?x?xf32>) {
  // expected-error@+1 {{depends on data; --target=reference runs it}}
  %0 = graph.non_zero %x : (tensor<3x4xf32>) -> tensor<2x?xi64>
  %largest = graph.arg_reduce %x {axis = 1 : i64, keepDims = false, takesMax = true, selectLast = false} : (tensor<3x4xf32>) -> tensor<3xi64>
  // expected-error@+1 {{depends on data; --target=reference runs it}}
  %1 = graph.reshape %x, %largest : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %0, %1 : tensor<2x?xi64>, tensor<?x?x?xf32>
}
