// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(any(convoy-kernels-check-contract))'

func.func @exact_math_passes(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}

// -----

func.func @library_math_is_refused(%x: f32) -> f32 {
  // expected-error@+1 {{'math.exp' op breaks [kernels.1]: it remains after the kernels stage and would call libm; run convoy-kernels-lower-math}}
  %y = math.exp %x : f32
  return %y : f32
}

// -----

task.kernel @operands_are_read(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64, access = [#task.access<read>, #task.access<write>]} {
  %e = memref.load %x[%begin] : memref<4xf32>
  memref.store %e, %y[%begin] : memref<4xf32>
  task.return
}

// -----

task.kernel @views_of_operands_are_not_written(%x: memref<16xi8>, %begin: index, %end: index)
    attributes {range = 1 : i64, access = [#task.access<read>]} {
  %zero = arith.constant 0.0 : f32
  %view = memref.view %x[%begin][] : memref<16xi8> to memref<4xf32>
  // expected-error@+1 {{'memref.store' op breaks [kernels.2]: it writes argument 0 of its kernel, whose access is `read`}}
  memref.store %zero, %view[%begin] : memref<4xf32>
  task.return
}
