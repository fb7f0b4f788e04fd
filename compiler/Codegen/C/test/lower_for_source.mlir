// RUN: convoy-opt %s -pass-pipeline='builtin.module(any(convoy-codegen-lower-for-source))' | FileCheck %s

// CHECK-LABEL: func.func @rounded_division_is_what_c_has
func.func @rounded_division_is_what_c_has(%a: index, %b: index) -> index {
  // CHECK-NOT: ceildivsi
  // CHECK: arith.divsi
  %n = arith.ceildivsi %a, %b : index
  return %n : index
}

// CHECK-LABEL: func.func @bf16_is_integer_arithmetic
func.func @bf16_is_integer_arithmetic(%x: bf16) -> f32 {
  // CHECK-NOT: arith.extf
  // CHECK: arith.shli
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}
