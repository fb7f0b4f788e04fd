// RUN: convoy-opt %s -pass-pipeline='builtin.module(task.kernel(convoy-codegen-lower-vectors))' | FileCheck %s

// CHECK-LABEL: task.kernel @bf16_is_integer_arithmetic
task.kernel @bf16_is_integer_arithmetic(%x: memref<4xbf16>, %y: memref<4xf32>, %begin: index, %end: index) attributes {range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<4xbf16>
  // CHECK-NOT: arith.extf
  // CHECK: arith.bitcast %{{.*}} : bf16 to i16
  // CHECK: arith.shli
  // CHECK: arith.bitcast %{{.*}} : i32 to f32
  %b = arith.extf %a : bf16 to f32
  memref.store %b, %y[%c0] : memref<4xf32>
  task.return
}

// CHECK-LABEL: task.kernel @f16_maximum_is_computed_in_f32
task.kernel @f16_maximum_is_computed_in_f32(%x: memref<8xf16>, %y: memref<8xf16>, %begin: index, %end: index) attributes {range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<8xf16>, vector<8xf16>
  %b = vector.load %y[%c0] : memref<8xf16>, vector<8xf16>
  // CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<8xf32>
  // CHECK: %[[MAX:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
  %c = arith.maximumf %a, %b : vector<8xf16>
  // CHECK: arith.minimumf %{{.*}}, %{{.*}} : vector<8xf32>
  // CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
  %d = arith.minimumf %c, %a : vector<8xf16>
  vector.store %d, %y[%c0] : memref<8xf16>, vector<8xf16>
  task.return
}

// CHECK-LABEL: task.kernel @masks_are_comparisons
task.kernel @masks_are_comparisons(%x: memref<8xf32>, %y: memref<8xf32>, %begin: index, %n: index) attributes {range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  // CHECK-NOT: vector.create_mask
  // CHECK: arith.cmpi sgt
  %mask = vector.create_mask %n : vector<8xi1>
  %a = vector.maskedload %x[%c0], %mask, %zero : memref<8xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.store %a, %y[%c0] : memref<8xf32>, vector<8xf32>
  task.return
}

// CHECK-LABEL: func.func @other_functions_are_left_alone
func.func @other_functions_are_left_alone(%x: bf16) -> f32 {
  // CHECK: arith.extf
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}
