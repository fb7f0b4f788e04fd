// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes tiles=true})' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64},convoy-kernels-insert-machine)' | FileCheck %s --check-prefix=LAST
// RUN: not convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{dot=words})' 2>&1 | FileCheck %s --check-prefix=WRONG

// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 dot=sdot})' | FileCheck %s --check-prefix=FLOATS

// Without products of bytes, registers are not joined.
// FLOATS: #kernel.machine<vectorBytes = 16, vectorRegisters = 16

// The machine is one attribute of the module.
// CHECK: module attributes {kernel.machine = #kernel.machine<vectorBytes = 64, vectorRegisters = 32, fmaPorts = 2, hasScalarOperands = false, firstCacheBytes = 32768, secondCacheBytes = 1048576, dot = bytes, hasTiles = true>}

// A second machine replaces the first.
// LAST: #kernel.machine<vectorBytes = 32

// WRONG: Cannot find option named 'words'!
module {}
