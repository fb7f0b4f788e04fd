// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-place-check-cpu)'

// expected-error@+1 {{not supported on the CPU: the tensors of its sequence or optional are not known at compile time; bind the inputs that determine them with --const NAME=FILE.pb; --target=reference runs it}}
func.func @a_sequence_may_not_pass_through(%s: !graph.seq<tensor<2xf32>>) -> !graph.seq<tensor<2xf32>> {
  return %s : !graph.seq<tensor<2xf32>>
}

// -----

// expected-error@+1 {{not supported on the CPU: it works on strings, whose sizes are not known at compile time; replace them by integers before the model; --target=reference runs it}}
func.func @strings_may_not_pass_through(%s: tensor<2x!graph.string>) -> tensor<2x!graph.string> {
  return %s : tensor<2x!graph.string>
}

// -----

func.func @a_tensor_may(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
