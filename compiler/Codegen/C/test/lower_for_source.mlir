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

// CHECK-LABEL: func.func @products_of_halves
func.func @products_of_halves(%x: vector<8xi64>, %y: vector<8xi64>) -> (vector<8xi64>, vector<8xi64>) {
  %c32 = arith.constant dense<32> : vector<8xi64>
  %c7 = arith.constant dense<7> : vector<8xi64>
  %a = arith.shli %x, %c32 : vector<8xi64>
  %b = arith.shrsi %a, %c32 : vector<8xi64>
  %c = arith.shli %y, %c32 : vector<8xi64>
  %d = arith.shrsi %c, %c32 : vector<8xi64>
  // CHECK: kernel.multiply_halves %arg0, %arg1 : vector<8xi64>
  %p = arith.muli %b, %d : vector<8xi64>
  // CHECK: kernel.multiply_halves %arg0, %{{.*}} : vector<8xi64>
  %q = arith.muli %b, %c7 : vector<8xi64>
  return %p, %q : vector<8xi64>, vector<8xi64>
}

// CHECK-LABEL: func.func @other_products_stay
func.func @other_products_stay(%x: vector<8xi64>, %y: vector<8xi64>) -> vector<8xi64> {
  // CHECK: arith.muli
  %p = arith.muli %x, %y : vector<8xi64>
  return %p : vector<8xi64>
}
