// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s < %t/net.c
// RUN: FileCheck %s --check-prefix=HEADER < %t/net.h
// RUN: FileCheck %s --check-prefix=CUSTOM < %t/convoy/custom_op.h

// The model calls the function of a custom op, which a file of the user defines.

// HEADER: 14  the function of a custom op returned an error
// CUSTOM: typedef int32_t convoy_custom_function(const convoy_custom_tensor *inputs,

// CHECK: #include "convoy/custom_op.h"
// CHECK: extern convoy_custom_function upsample;
// CHECK: CONVOY_KERNEL void net_custom_0(
// CHECK: static const int64_t convoy_shape_0[] = {2, 4};
// CHECK-NEXT: static const int64_t convoy_values_3[] = {7, INT64_MIN};
// CHECK-NEXT: static const float convoy_values_4[] = {0.5f, INFINITY};
// CHECK-NEXT: const convoy_custom_tensor convoy_tensors[] = {{[{][{]}}(void *)(uintptr_t)x0, convoy_shape_0, 2, 1},
// CHECK-NEXT: {(void *)(uintptr_t)y0, NULL, 0, 1}};
// CHECK-NEXT: static const convoy_custom_attribute convoy_attributes[] = {{[{][{]}}2, NULL, NULL, NULL, 0, 0.0f}, {0,
// CHECK-NEXT: NULL, NULL, NULL, 0, 1.5f}, {0, "two", NULL, NULL, 0, 0.0f}, {0, NULL, convoy_values_3, NULL,
// CHECK-NEXT: 2, 0.0f}, {0, NULL, NULL, convoy_values_4, 2, 0.0f}};
// CHECK-NEXT: if (*status == 0u && upsample(convoy_tensors, convoy_tensors + 1, convoy_attributes) != 0) {
// CHECK-NEXT: *status = 14u;
// CHECK: CONVOY_KERNEL void net_custom_1(
// CHECK: if (*status == 0u && second(convoy_tensors, convoy_tensors + 1, NULL) != 0) {
// CHECK-NEXT: *status = 14u;
// CHECK: case 14:
// CHECK-NEXT: return "the function of a custom op returned an error";

module attributes {memory.arena_bytes = 64 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

task.kernel @custom_0(%x: memref<8xf32>, %y: memref<1xf32>, %status: memref<1xi32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>, #task.access<read_write>],
                may_fail, range = 1 : i64, tensors = (tensor<2x4xf32>) -> tensor<f32>} {
  task.call_custom "upsample" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>,
       parameters = [2 : i64, 1.5 : f32, "two", array<i64: 7, -9223372036854775808>, array<f32: 0.5, 0x7F800000>],
       shapes = [array<i64: 2, 4>, array<i64>]}
      : (memref<8xf32>), (memref<1xf32>), memref<1xi32>
  task.return
}

// Runs after @custom_0, whose error must prevent the call.
task.kernel @custom_1(%x: memref<1xf32>, %y: memref<1xf32>, %status: memref<1xi32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>, #task.access<read_write>],
                may_fail, range = 1 : i64, tensors = (tensor<f32>) -> tensor<f32>} {
  task.call_custom "second" (%x) to (%y) status %status
      {elementTypes = array<i32: 1, 1>, parameters = [], shapes = [array<i64>, array<i64>]}
      : (memref<1xf32>), (memref<1xf32>), memref<1xi32>
  task.return
}

func.func @main(%x: memref<8xf32> {memory.role = "input", graph.name = "x", graph.type = tensor<2x4xf32>},
                %y: memref<1xf32> {memory.role = "output", graph.name = "y", graph.type = tensor<f32>},
                %z: memref<1xf32> {memory.role = "output", graph.name = "z", graph.type = tensor<f32>},
                %arena: memref<64xi8> {memory.role = "arena"}, %weights: memref<0xi8> {memory.role = "weights"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ok = arith.constant 0 : i32
  %status = memref.view %arena[%c0][] : memref<64xi8> to memref<1xi32>
  memref.store %ok, %status[%c0] : memref<1xi32>
  task.call @custom_0(%x, %y, %status, %c0, %c1) : memref<8xf32>, memref<1xf32>, memref<1xi32>, index, index
  task.call @custom_1(%y, %z, %status, %c0, %c1) : memref<1xf32>, memref<1xf32>, memref<1xi32>, index, index
  %code = memref.load %status[%c0] : memref<1xi32>
  return %code : i32
}
}
