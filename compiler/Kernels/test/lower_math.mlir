// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-kernels-lower-math))' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(convoy-kernels-lower-math{fuse-multiply-add=false}))' | FileCheck %s --check-prefix=UNFUSED

// compiler/Kernels/Math/test/math_ulp_test.cpp tests the accuracy.

// CHECK-LABEL: func.func @one_over_root
// CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : vector<4xf32>
// CHECK: %[[Y:.*]] = arith.divf %{{.*}}, %[[ROOT]] : vector<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @one_over_root(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.rsqrt %x : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

// CHECK-LABEL: func.func @exp_stays_in_f32
// CHECK-NOT: math.exp
// CHECK-NOT: f64
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: f64
// CHECK: return
// UNFUSED-LABEL: func.func @exp_stays_in_f32
// UNFUSED-NOT: math.fma
// UNFUSED: return
func.func @exp_stays_in_f32(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// CHECK-LABEL: func.func @tangent_of_f32_works_in_f64
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK-NOT: math.tan
// CHECK: %[[Y:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: return %[[Y]]
func.func @tangent_of_f32_works_in_f64(%x: f32) -> f32 {
  %y = math.tan %x : f32
  return %y : f32
}

// -----

// CHECK-LABEL: func.func @half_works_in_f32
// CHECK: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK-NOT: math.tanh
// CHECK: %[[Y:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK-NEXT: return %[[Y]]
func.func @half_works_in_f32(%x: vector<8xf16>) -> vector<8xf16> {
  %y = math.tanh %x : vector<8xf16>
  return %y : vector<8xf16>
}

// -----

// CHECK-LABEL: func.func @fast_math_flags_are_not_passed_on
// CHECK-NOT: fastmath
// CHECK: return
func.func @fast_math_flags_are_not_passed_on(%x: bf16) -> bf16 {
  %y = math.erf %x fastmath<fast> : bf16
  return %y : bf16
}

// -----

// CHECK-LABEL: func.func @exact_ops_stay
// CHECK: math.floor
// CHECK-NEXT: math.roundeven
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.ctpop
// CHECK-NEXT: return
func.func @exact_ops_stay(%x: f64, %n: i32) -> (f64, i32) {
  %a = math.floor %x : f64
  %b = math.roundeven %a : f64
  %c = math.sqrt %b : f64
  %d = math.ctpop %n : i32
  return %c, %d : f64, i32
}

// -----

// CHECK-LABEL: func.func @sums_of_products
// CHECK: math.fma %{{.*}} : vector<4xf32>
// UNFUSED-LABEL: func.func @sums_of_products
// UNFUSED-SAME: %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %[[C:.*]]: vector<4xf32>
// UNFUSED-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : vector<4xf32>
// UNFUSED-NEXT: %[[Y:.*]] = arith.addf %[[P]], %[[C]] : vector<4xf32>
// UNFUSED-NEXT: return %[[Y]]
func.func @sums_of_products(%a: vector<4xf32>, %b: vector<4xf32>, %c: vector<4xf32>) -> vector<4xf32> {
  %y = math.fma %a, %b, %c : vector<4xf32>
  return %y : vector<4xf32>
}

// -----

func.func @other_types_are_refused(%x: f128) -> f128 {
  // expected-error@+1 {{'math.exp' op not supported: expects f16, bf16, f32 or f64, or a vector of one of them, got 'f128'}}
  %y = math.exp %x : f128
  return %y : f128
}

// -----

func.func @other_ops_are_refused(%x: f32, %n: i32) -> f32 {
  // expected-error@+1 {{'math.fpowi' op not supported: convoy has no expansion of this op, and compiled models cannot call libm; supported are the math functions of docs/reference/math-ulp.md}}
  %y = math.fpowi %x, %n : f32, i32
  return %y : f32
}

// -----

// Adjacent functions are interleaved, so that a core executes both chains at the same time.
// CHECK-LABEL: func.func @adjacent_functions
// CHECK: arith.cmpf ogt, %arg0
// CHECK-NEXT: arith.cmpf ogt, %arg1
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[B:.*]] = arith.addf
func.func @adjacent_functions(%x: vector<4xf32>, %y: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>) {
  %0 = math.exp2 %x : vector<4xf32>
  %1 = math.exp2 %y : vector<4xf32>
  return %0, %1 : vector<4xf32>, vector<4xf32>
}

// -----

// The second function needs the result of the first.
// CHECK-LABEL: func.func @dependent_functions
// CHECK: %[[A:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-NOT: arith.cmpf
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: arith.cmpf ogt, %
func.func @dependent_functions(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp2 %x : vector<4xf32>
  %1 = math.exp2 %0 : vector<4xf32>
  return %1 : vector<4xf32>
}
