// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-memory-plan-arena{alignment=4 rows=true})' | FileCheck %s

// The plan has one entry per call and one per tensor of the arena. The result of the second call is
// in the place of its operand, which is in use until then. The output belongs to the caller.
// CHECK: memory.plan = {calls = [
// CHECK-SAME: {kernel = "first", nodes = "'one' (Relu)", weights_bytes = 64 : i64},
// CHECK-SAME: {kernel = "added", nodes = "", weights_bytes = 0 : i64},
// CHECK-SAME: {kernel = "first", nodes = "", weights_bytes = 0 : i64}],
// CHECK-SAME: tensors = [
// CHECK-SAME: {arena = 0 : i64, bytes = 64 : i64, call = 0 : i64, first = 0 : i64, is_scratch = false, last = 1 : i64, offset = 4 : i64, ring_rows = 0 : i64},
// CHECK-SAME: {arena = 0 : i64, bytes = 64 : i64, call = 1 : i64, first = 1 : i64, is_scratch = false, last = 2 : i64, offset = 4 : i64, ring_rows = 0 : i64},
// CHECK-SAME: {arena = 0 : i64, bytes = 32 : i64, call = 1 : i64, first = 1 : i64, is_scratch = true, last = 1 : i64, offset = 68 : i64, ring_rows = 0 : i64}]}
// The call keeps the number of its run.
// CHECK: task.call @first({{.*}}) {task.probe = 2 : i64}
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w = graph.constant dense<1.0> : tensor<16xf32>
  %0 = task.run @first(%x, %w) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> loc("one"("Relu"))
  %1 = task.run @added(%0, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %2 = task.run @first(%1, %w) {task.probe = 2 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
task.kernel @first(%a: memref<16xf32>, %w: memref<16xf32>, %b: memref<16xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @added(%a: memref<16xf32>, %x: memref<16xf32>, %b: memref<16xf32>, %scratch: memref<32xi8>, %begin: index, %end: index)
    attributes {in_place = array<i64: 0, 2>, range = 1 : i64, scratch = 32 : i64} {
  task.return
}

// -----

// The calls of a row group interleave, so its tensors and its scratch memory are in use during the
// whole group. No call writes the input. The result of @window is a ring of 3 rows of 16 bytes.
// CHECK: memory.plan = {calls = [{kernel = "window"{{[^}]*[}]}}, {kernel = "sum"{{[^}]*[}]}}], tensors = [
// CHECK-SAME: {arena = 0 : i64, bytes = 128 : i64, call = -1 : i64, first = 0 : i64, is_scratch = false, last = 1 : i64, offset = 84 : i64, ring_rows = 0 : i64},
// CHECK-SAME: {arena = 0 : i64, bytes = 48 : i64, call = 0 : i64, first = 0 : i64, is_scratch = false, last = 1 : i64, offset = {{[0-9]+}} : i64, ring_rows = 3 : i64},
// CHECK-SAME: {arena = 0 : i64, bytes = 128 : i64, call = 1 : i64, first = 0 : i64, is_scratch = false, last = 1 : i64, offset = 68 : i64, ring_rows = 0 : i64},
// CHECK-SAME: {arena = 0 : i64, bytes = 16 : i64, call = 1 : i64, first = 0 : i64, is_scratch = true, last = 1 : i64,
func.func @main(%0: tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {task.in_arena})
    -> (tensor<1x2x8x8xi8, #graph.blocked<c = 2>> {task.in_arena}) {
  %1 = task.run @window(%0) {row_group = 0 : i64} : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  %2 = task.run @sum(%1, %0) {row_group = 0 : i64} : (tensor<1x2x8x8xi8, #graph.blocked<c = 2>>, tensor<1x2x8x8xi8, #graph.blocked<c = 2>>) -> tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
  return %2 : tensor<1x2x8x8xi8, #graph.blocked<c = 2>>
}
task.kernel @window(%x: memref<128xi8>, %y: memref<128xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}
task.kernel @sum(%x: memref<128xi8>, %z: memref<128xi8>, %y: memref<128xi8>, %scratch: memref<16xi8>, %begin: index, %end: index)
    attributes {range = 8 : i64, scratch = 16 : i64,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8], reads = [array<i64: 3, 1, 1>, array<i64: 1, 1, 0>]>} {
  %r = task.row_view %x[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %t = task.row_view %z[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  %s = task.row_view %y[%begin] rows 8 : memref<128xi8> -> memref<16xi8, strided<[1], offset: ?>>
  task.return
}

// -----

// The parts of a concatenation are tensors of their own. A read of the whole reads all parts.
// CHECK: tensors = [
// CHECK-SAME: {arena = 0 : i64, bytes = 64 : i64, call = 0 : i64, first = 0 : i64, is_scratch = false, last = 2 : i64, offset = 4 : i64,
// CHECK-SAME: {arena = 0 : i64, bytes = 64 : i64, call = 1 : i64, first = 1 : i64, is_scratch = false, last = 2 : i64, offset = 68 : i64,
func.func @main(%x: tensor<1x16xf32>) -> tensor<1x32xf32> {
  %a = task.run @part(%x) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %b = task.run @part(%a) : (tensor<1x16xf32>) -> tensor<1x16xf32>
  %ab = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x32xf32>
  %y = task.run @whole(%ab) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
task.kernel @part(%a: memref<16xf32>, %b: memref<16xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
task.kernel @whole(%a: memref<32xf32>, %b: memref<32xf32>, %begin: index, %end: index)
    attributes {range = 1 : i64} {
  task.return
}
