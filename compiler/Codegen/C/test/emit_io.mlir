// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s < %t/net.c
// RUN: FileCheck %s --check-prefix=HEADER < %t/net.h

// Inputs and outputs are parts of the workspace, so a run takes only the workspace. The table's
// run has pointers and copies.

// HEADER: Write all inputs before each run, because a run
// HEADER-NEXT: overwrites them.
// HEADER: #define NET_WORKSPACE_BYTES 20
// HEADER: #define NET_WORKSPACE_ALIGNMENT 8
// HEADER: #define NET_INPUT_0_BYTES 4
// HEADER-NEXT: #define NET_INPUT_0_OFFSET 8
// HEADER: #define NET_OUTPUT_0_BYTES 4
// HEADER-NEXT: #define NET_OUTPUT_0_OFFSET 16
// HEADER-NOT: typedef struct
// HEADER: 1  the workspace is null
// HEADER: int net_run(void *workspace);

// CHECK: static const _Alignas(4) uint8_t net_w0[3] = {
// CHECK: static uint32_t net_main(uint8_t *arena) {
// CHECK-NOT: in0
// CHECK: net_copy_0(ARENA(uint8_t, 8), ARENA(uint8_t, 16), 0, 1);
// CHECK: int net_run(void *workspace) {
// CHECK-NEXT: if (workspace == NULL) {
// CHECK: if ((uintptr_t)workspace % 8u != 0u) {
// CHECK: return (int)net_main((uint8_t *)workspace);
// CHECK: static int32_t net_table_run(const void *const *inputs, void *const *outputs, void *workspace) {
// CHECK: if (workspace == NULL || inputs == NULL ||
// CHECK-NEXT: inputs[0] == NULL || outputs == NULL ||
// CHECK-NEXT: outputs[0] == NULL) {
// CHECK-NEXT: return 1;
// CHECK: memcpy((unsigned char *)workspace + 8, inputs[0], 4u);
// CHECK-NEXT: code = (int32_t)net_run(workspace);
// CHECK: memcpy(outputs[0], (const unsigned char *)workspace + 16, 4u);

module attributes {memory.alignment = 8 : i64, memory.arena_bytes = 20 : i64,
                   memory.weights_bytes = 4 : i64, memory.weight_offsets = array<i64: 0>,
                   memory.weights = [dense<[1, 2, 3]> : tensor<3xi8>]} {

task.kernel @copy_0(%x: memref<4xi8>, %y: memref<4xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>],
                range = 1 : i64} {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<4xi8>
  memref.store %element, %y[%c0] : memref<4xi8>
  task.return
}

func.func @main(%x: memref<4xi8> {memory.role = "input", memory.offset = 8 : i64, graph.name = "x", graph.type = tensor<4xi8>},
                %y: memref<4xi8> {memory.role = "output", memory.offset = 16 : i64, graph.name = "y", graph.type = tensor<4xi8>},
                %arena: memref<20xi8> {memory.role = "arena"}, %weights: memref<4xi8> {memory.role = "weights"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %ok = arith.constant 0 : i32
  %in = memref.view %arena[%c8][] : memref<20xi8> to memref<4xi8>
  %out = memref.view %arena[%c16][] : memref<20xi8> to memref<4xi8>
  task.call @copy_0(%in, %out, %c0, %c1) : memref<4xi8>, memref<4xi8>, index, index
  return %ok : i32
}

}
