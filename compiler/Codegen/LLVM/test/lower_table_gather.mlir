// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=bytes},convoy-codegen-lower-to-llvm{model=net})' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16 dot=bytes},convoy-codegen-lower-to-llvm{model=net})' | FileCheck %s --check-prefix=NARROW --implicit-check-not=vperm
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32 dot=sdot},convoy-codegen-lower-to-llvm{model=net})' | FileCheck %s --check-prefix=NARROW --implicit-check-not=vperm

// A table of 20 elements is two registers. The second load reads four elements.
// CHECK-LABEL: @net_two_registers
// CHECK: %[[LOW:.*]] = llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xi32>
// CHECK: dense<[true, true, true, true, false,
// CHECK: %[[HIGH:.*]] = llvm.intr.masked.load {{.*}} -> vector<16xi32>
// CHECK: %[[I:.*]] = llvm.trunc {{.*}} : vector<16xi64> to vector<16xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"(%[[LOW]], %[[I]], %[[HIGH]])
// NARROW-LABEL: @net_two_registers
// NARROW: llvm.intr.masked.gather
func.func @two_registers(%table: memref<20xi32>, %i: vector<16xindex>) -> vector<16xi32> {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : vector<16xi1>
  %none = arith.constant dense<0> : vector<16xi32>
  %y = vector.gather %table[%c0][%i], %all, %none : memref<20xi32>, vector<16xindex>, vector<16xi1>, vector<16xi32> into vector<16xi32>
  return %y : vector<16xi32>
}

// Two vectors of indices look into one register. The mask selects between them and the other operand.
// CHECK-LABEL: @net_masked_floats
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"
// CHECK: %[[Y:.*]] = llvm.bitcast {{.*}} : vector<32xi32> to vector<32xf32>
// CHECK: llvm.select %{{.*}}, %[[Y]], %{{.*}} : vector<32xi1>, vector<32xf32>
func.func @masked_floats(%table: memref<16xf32>, %i: vector<32xi32>, %mask: vector<32xi1>, %other: vector<32xf32>) -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %y = vector.gather %table[%c0][%i], %mask, %other : memref<16xf32>, vector<32xi32>, vector<32xi1>, vector<32xf32> into vector<32xf32>
  return %y : vector<32xf32>
}

// Bits 5 and 6 of an index select one of four pairs of registers.
// CHECK-LABEL: @net_seven_registers
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"
// CHECK: dense<32>
// CHECK-COUNT-2: llvm.select
// CHECK: dense<64>
// CHECK-COUNT-1: llvm.select
// CHECK-NOT: llvm.select
func.func @seven_registers(%table: memref<100xi32>, %i: vector<16xindex>) -> vector<16xi32> {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : vector<16xi1>
  %none = arith.constant dense<0> : vector<16xi32>
  %y = vector.gather %table[%c0][%i], %all, %none : memref<100xi32>, vector<16xindex>, vector<16xi1>, vector<16xi32> into vector<16xi32>
  return %y : vector<16xi32>
}

// The lanes read one row of a tensor. Its offsets have 32 bits on every target.
// CHECK-LABEL: @net_row
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr, %[[ROW:.*]]: i64, %{{.*}}: vector<16xi64>)
// CHECK: llvm.getelementptr %[[X]][%[[ROW]]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"
// NARROW-LABEL: @net_row
// NARROW: llvm.trunc {{.*}} : vector<16xi64> to vector<16xi32>
// NARROW: llvm.intr.masked.gather
func.func @row(%x: memref<1000xi32>, %row: index, %i: vector<16xindex>) -> vector<16xi32> {
  %all = arith.constant dense<true> : vector<16xi1>
  %none = arith.constant dense<0> : vector<16xi32>
  %y = vector.gather %x[%row][%i], %all, %none {kernel.extent = 10 : i64} : memref<1000xi32>, vector<16xindex>, vector<16xi1>, vector<16xi32> into vector<16xi32>
  return %y : vector<16xi32>
}

// A row with a mask may be outside of the memory if no lane is active.
// CHECK-LABEL: @net_masked_row
// CHECK: llvm.intr.masked.gather
func.func @masked_row(%x: memref<1000xi32>, %row: index, %i: vector<16xindex>, %mask: vector<16xi1>) -> vector<16xi32> {
  %none = arith.constant dense<0> : vector<16xi32>
  %y = vector.gather %x[%row][%i], %mask, %none {kernel.extent = 10 : i64} : memref<1000xi32>, vector<16xindex>, vector<16xi1>, vector<16xi32> into vector<16xi32>
  return %y : vector<16xi32>
}

// CHECK-LABEL: @net_large_table
// CHECK: llvm.intr.masked.gather
func.func @large_table(%table: memref<129xi32>, %i: vector<16xindex>) -> vector<16xi32> {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : vector<16xi1>
  %none = arith.constant dense<0> : vector<16xi32>
  %y = vector.gather %table[%c0][%i], %all, %none : memref<129xi32>, vector<16xindex>, vector<16xi1>, vector<16xi32> into vector<16xi32>
  return %y : vector<16xi32>
}
