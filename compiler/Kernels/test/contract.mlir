// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-kernels-check-contract))'

func.func @exact_math_passes(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}

func.func @library_math_is_refused(%x: f32) -> f32 {
  // expected-error@+1 {{'math.exp' op breaks [kernels.1]: it remains after the kernels stage and would call libm; run convoy-kernels-lower-math}}
  %y = math.exp %x : f32
  return %y : f32
}
