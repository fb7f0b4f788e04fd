// RUN: rm -rf %t && convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-check-source-contract,convoy-codegen-emit-source{model=net directory=%t})' -o /dev/null
// RUN: FileCheck %s < %t/net.c

// Tile registers are macros with a body for AMX and a plain body, and a run requests the registers.
// CHECK: static int convoy_request_tiles(void)
// CHECK: #define CONVOY_TILE_DOT_US(sums, x, w) _tile_dpbusd(sums, x, w)
// CHECK: #else
// CHECK: #define CONVOY_TILE_DOT_US(sums, x, w)

module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                   memory.weight_offsets = array<i64>, memory.weights = []} {

// CHECK: CONVOY_KERNEL void net_tiles_0(
// CHECK: const ptrdiff_t [[x:n[0-9]+]] = (ptrdiff_t)(uintptr_t)x0;
// CHECK: CONVOY_TILES_BEGIN({{.*}}[[x]]));
// CHECK-NEXT: CONVOY_TILE_ZERO(0);
// CHECK-NEXT: CONVOY_TILE_LOAD(1, {{.*}}, 64);
// CHECK-NEXT: CONVOY_TILE_DOT_US(0, 1, 1);
// CHECK-NEXT: CONVOY_TILE_STORE(0, {{.*}}, 64);
// CHECK-NEXT: CONVOY_TILES_END();
task.kernel @tiles_0(%x: memref<1024xi8>, %y: memref<1024xi8>, %begin: index, %end: index)
    attributes {access = [#task.access<read>, #task.access<read_write>], range = 1 : i64,
                tensors = (tensor<1024xi8>) -> tensor<1024xi8>, nodes = loc(fused["Conv_0"("Conv")])} {
  %n0 = llvm.mlir.constant(0 : i8) : i8
  %n1 = llvm.mlir.constant(1 : i8) : i8
  %stride = llvm.mlir.constant(64 : i64) : i64
  %from = memref.extract_aligned_pointer_as_index %x : memref<1024xi8> -> index
  %low = arith.index_cast %from : index to i64
  %source = llvm.inttoptr %low : i64 to !llvm.ptr
  %to = memref.extract_aligned_pointer_as_index %y : memref<1024xi8> -> index
  %high = arith.index_cast %to : index to i64
  %target = llvm.inttoptr %high : i64 to !llvm.ptr
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%source) : (!llvm.ptr) -> ()
  llvm.call_intrinsic "llvm.x86.tilezero"(%n0) : (i8) -> ()
  llvm.call_intrinsic "llvm.x86.tileloadd64"(%n1, %source, %stride) : (i8, !llvm.ptr, i64) -> ()
  llvm.call_intrinsic "llvm.x86.tdpbusd"(%n0, %n1, %n1) : (i8, i8, i8) -> ()
  llvm.call_intrinsic "llvm.x86.tilestored64"(%n0, %target, %stride) : (i8, !llvm.ptr, i64) -> ()
  llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
  task.return
}

// CHECK: if (!convoy_request_tiles()) {
// CHECK-NEXT: return 2;
// CHECK: case 2:
func.func @main(%x: memref<1024xi8> {memory.role = "input"}, %y: memref<1024xi8> {memory.role = "output"},
                %arena: memref<0xi8>, %weights: memref<0xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  task.call @tiles_0(%x, %y, %c0, %c1) : memref<1024xi8>, memref<1024xi8>, index, index
  return
}
}
