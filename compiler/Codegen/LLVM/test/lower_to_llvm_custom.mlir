// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-lower-to-llvm{model=net})' | FileCheck %s

// Shapes, texts and arrays are constants; the tables are on the stack. An error of the function
// becomes the code 14. After an earlier error, the function is not called.
// CHECK-DAG: llvm.mlir.global internal constant @net_custom_0(dense<[3, 4]> : tensor<2xi64>) {{.*}} : !llvm.array<2 x i64>
// CHECK-DAG: llvm.mlir.global internal constant @net_custom_1("two\00")
// CHECK-DAG: llvm.mlir.global internal constant @net_custom_2(dense<[7, 8]> : tensor<2xi64>)
// CHECK-DAG: llvm.mlir.global internal constant @net_custom_3(dense<5.000000e-01> : tensor<1xf32>)
// CHECK-LABEL: llvm.func {{.*}}@net_call
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr{{.*}}, %[[Y:.*]]: !llvm.ptr{{.*}}, %[[S:.*]]: !llvm.ptr
// CHECK: %[[T:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, ptr, i32, i32)>
// CHECK: llvm.store %[[X]], %{{.*}}
// CHECK: llvm.store %[[Y]], %{{.*}}
// CHECK: %[[OUT:.*]] = llvm.getelementptr %[[T]][1]
// CHECK: %[[A:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, ptr, ptr, ptr, i64, f32)>
// CHECK: %[[OLD:.*]] = llvm.load %[[S]]
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[OLD]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[REST:.*]], ^[[CALL:.*]]
// CHECK: ^[[CALL]]:
// CHECK: %[[CODE:.*]] = llvm.call @upsample(%[[T]], %[[OUT]], %[[A]])
// CHECK: %[[FAILS:.*]] = llvm.icmp "ne" %[[CODE]]
// CHECK: llvm.cond_br %[[FAILS]], ^[[ERROR:.*]], ^[[REST]]
// CHECK: ^[[ERROR]]:
// CHECK: %[[NEW:.*]] = llvm.mlir.constant(14 : i32)
// CHECK: llvm.store %[[NEW]], %[[S]]
// CHECK: llvm.br ^[[REST]]
// CHECK: ^[[REST]]:
// CHECK: llvm.return
func.func @call(%x: memref<12xf32>, %y: memref<1xf32>, %status: memref<1xi32>) {
  task.call_custom "upsample" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [2 : i64, 1.5 : f32, "two", array<i64: 7, 8>, array<f32: 0.5>],
       shapes = [array<i64: 3, 4>, array<i64>]}
      : (memref<12xf32>), (memref<1xf32>), memref<1xi32>
  return
}

// The second call reads what the first one writes, so it tests the status again.
// CHECK-LABEL: llvm.func {{.*}}@net_chain
// CHECK-SAME: (%{{.*}}: !llvm.ptr{{.*}}, %{{.*}}: !llvm.ptr{{.*}}, %[[S:.*]]: !llvm.ptr
// CHECK: llvm.call @upsample
// CHECK: llvm.store %{{.*}}, %[[S]]
// CHECK: %[[OLD:.*]] = llvm.load %[[S]]
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[OLD]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[REST:.*]], ^[[CALL:.*]]
// CHECK: ^[[CALL]]:
// CHECK: llvm.call @second
// CHECK: ^[[REST]]:
// CHECK: llvm.return
// CHECK: llvm.func @upsample(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32 attributes {codegen.custom_function
// CHECK: llvm.func @second(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32 attributes {codegen.custom_function
func.func @chain(%x: memref<12xf32>, %y: memref<12xf32>, %status: memref<1xi32>) {
  task.call_custom "upsample" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [], shapes = [array<i64: 12>, array<i64: 12>]}
      : (memref<12xf32>), (memref<12xf32>), memref<1xi32>
  task.call_custom "second" (%y) to (%x) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [], shapes = [array<i64: 12>, array<i64: 12>]}
      : (memref<12xf32>), (memref<12xf32>), memref<1xi32>
  return
}
