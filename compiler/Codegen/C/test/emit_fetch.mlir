// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t plain=true})' -o /dev/null
// RUN: FileCheck %s < %t/net.c
// RUN: FileCheck %s --check-prefix=HEADER < %t/net.h

// A run fetches the rows of the input from a function of the caller.

// HEADER: A run fetches each input row by row
// HEADER: #define NET_INPUT_0_BYTES 8
// HEADER-NEXT: #define NET_INPUT_0_ROWS 4
// HEADER-NEXT: #define NET_INPUT_0_ROW_BYTES 2
// HEADER: the run fetches no more rows and returns 13. */
// HEADER-NEXT: typedef struct net_rows {
// HEADER-NEXT: int (*read)(void *context, uint32_t row, void *bytes);
// HEADER-NEXT: void *context; /* passed to read */
// HEADER-NEXT: } net_rows;
// HEADER: typedef struct net_inputs {
// HEADER-NEXT: net_rows x;
// HEADER-NEXT: } net_inputs;
// HEADER: 1  the inputs, a function in inputs, or the workspace, is null
// HEADER: 13  a function in inputs failed */
// HEADER-NEXT: int net_run(const net_inputs *inputs, void *workspace);

// CHECK: CONVOY_KERNEL void net_fetch_0(const net_rows *restrict x0, uint8_t *restrict y0,
// CHECK-NEXT: uint32_t *restrict status, ptrdiff_t begin, ptrdiff_t end) {
// CHECK: uint8_t *const [[ROW:r[0-9]+]] = y0 + (i0 * 2);
// CHECK-NEXT: if (*status == 0u && x0->read(x0->context, (uint32_t)i0, [[ROW]]) != 0) {
// CHECK-NEXT: *status = 13u;
// CHECK: static uint32_t net_main(const net_rows *in0_x, uint8_t *arena) {
// CHECK: net_fetch_0(in0_x, ARENA(uint8_t, 8), ARENA(uint32_t, 0), 0, 4);
// CHECK: int net_run(const net_inputs *inputs, void *workspace) {
// CHECK-NEXT: if (workspace == NULL ||
// CHECK-NEXT: inputs == NULL ||
// CHECK-NEXT: inputs->x.read == NULL) {
// CHECK: return (int)net_main(&inputs->x, (uint8_t *)workspace);
// CHECK: case 13:
// CHECK-NEXT: return "a function that provides the rows of an input failed";
// The table's run has whole inputs.
// CHECK: static int net_table_read(void *context, uint32_t row, void *bytes) {
// CHECK: static int32_t net_table_run(
// CHECK: source_0.data = (const unsigned char *)inputs[0];
// CHECK-NEXT: source_0.row_bytes = 2u;
// CHECK: code = (int32_t)net_run(&inputs_of_model, workspace);
// CHECK: memcpy(outputs[0], (const unsigned char *)workspace + 8, 8u);

module attributes {memory.alignment = 8 : i64, memory.arena_bytes = 16 : i64,
                   memory.weights_bytes = 0 : i64, memory.weight_offsets = array<i64>, memory.weights = []} {

task.kernel @fetch_0(%x: memref<8xi8>, %y: memref<8xi8>, %status: memref<1xi32>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>, #task.access<read_write>],
                may_fail, range = 4 : i64, tensors = (tensor<8xi8>) -> tensor<8xi8>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %begin to %end step %c1 {
    %offset = arith.muli %i, %c2 : index
    %r = memref.subview %y[%offset] [2] [1] : memref<8xi8> to memref<2xi8, strided<[1], offset: ?>>
    task.fetch_row %x[%i] to %r status %status : memref<8xi8>, memref<2xi8, strided<[1], offset: ?>>, memref<1xi32>
  }
  task.return
}

func.func @main(%x: memref<8xi8> {memory.role = "input", memory.input_rows = 4 : i64, graph.name = "x", graph.type = tensor<8xi8>},
                %y: memref<8xi8> {memory.role = "output", memory.offset = 8 : i64, graph.name = "y", graph.type = tensor<8xi8>},
                %arena: memref<16xi8> {memory.role = "arena"}, %weights: memref<0xi8> {memory.role = "weights"}) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %ok = arith.constant 0 : i32
  %status = memref.view %arena[%c0][] : memref<16xi8> to memref<1xi32>
  %out = memref.view %arena[%c8][] : memref<16xi8> to memref<8xi8>
  task.call @fetch_0(%x, %out, %status, %c0, %c4) : memref<8xi8>, memref<8xi8>, memref<1xi32>, index, index
  return %ok : i32
}

}
