// RUN: convoy-opt %s -pass-pipeline='builtin.module(task.kernel(convoy-codegen-lower-vectors{expand-halves=true}))' | FileCheck %s
// RUN: convoy-opt %s -pass-pipeline='builtin.module(task.kernel(convoy-codegen-lower-vectors))' | FileCheck %s --check-prefix=KEPT

// KEPT-COUNT-2: arith.extf
// KEPT: arith.truncf

// CHECK-LABEL: task.kernel @widening_is_integer_arithmetic
task.kernel @widening_is_integer_arithmetic(%x: memref<4xf16>, %y: memref<4xf32>, %begin: index, %end: index) attributes {range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<4xf16>
  // CHECK-NOT: arith.extf
  // CHECK: arith.bitcast %{{.*}} : f16 to i16
  // CHECK: arith.bitcast %{{.*}} : i32 to f32
  %b = arith.extf %a : f16 to f32
  memref.store %b, %y[%c0] : memref<4xf32>
  task.return
}

// CHECK-LABEL: task.kernel @vectors_stay_vectors
task.kernel @vectors_stay_vectors(%x: memref<8xf16>, %y: memref<8xf16>, %begin: index, %end: index) attributes {range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<8xf16>, vector<8xf16>
  // CHECK-NOT: arith.extf
  // CHECK: arith.select %{{.*}} : vector<8xi1>, vector<8xi32>
  %b = arith.extf %a : vector<8xf16> to vector<8xf32>
  %c = arith.addf %b, %b : vector<8xf32>
  // CHECK-NOT: arith.truncf
  // CHECK: arith.bitcast %{{.*}} : vector<8xi16> to vector<8xf16>
  %d = arith.truncf %c : vector<8xf32> to vector<8xf16>
  vector.store %d, %y[%c0] : memref<8xf16>, vector<8xf16>
  task.return
}

// CHECK-LABEL: task.kernel @other_types_are_left_alone
task.kernel @other_types_are_left_alone(%x: memref<4xf32>, %y: memref<4xf64>, %begin: index, %end: index) attributes {range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<4xf32>
  // CHECK: arith.extf %{{.*}} : f32 to f64
  %b = arith.extf %a : f32 to f64
  memref.store %b, %y[%c0] : memref<4xf64>
  task.return
}
