// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-codegen-check-source-contract)'

task.kernel @exp_0(%x: memref<4xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xf32>
  // expected-error@+1 {{not supported in C: this operation in kernel 'exp_0'; compile to a library instead (--emit=library), and report this problem}}
  %e = math.exp %v : f32
  memref.store %e, %x[%c0] : memref<4xf32>
  task.return
}

// -----

task.kernel @add_0(%x: memref<4xf32>, %begin: index, %end: index) attributes {access = [#task.access<read>],
                range = 1 : i64} {
  // expected-error@+1 {{not supported in C: type 'vector<2x2xf32>' in kernel 'add_0'}}
  %s = arith.constant dense<0.0> : vector<2x2xf32>
  task.return
}

// -----

// Kernels compute narrow floats in f32, so arithmetic on narrow floats is an error.
task.kernel @half_0(%x: memref<4xf16>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xf16>
  // expected-error@+1 {{not supported in C: this operation in kernel 'half_0'}}
  %s = arith.addf %v, %v : f16
  memref.store %s, %x[%c0] : memref<4xf16>
  task.return
}

// -----

// The printer has macros for intrinsics on tile registers only.
task.kernel @other_0(%x: memref<4xf32>, %begin: index, %end: index) attributes {access = [#task.access<read_write>],
                range = 1 : i64} {
  // expected-error@+1 {{not supported in C: this operation in kernel 'other_0'}}
  llvm.call_intrinsic "llvm.x86.avx.vzeroupper"() : () -> ()
  task.return
}
