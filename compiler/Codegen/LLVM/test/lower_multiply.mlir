// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-codegen-lower-to-llvm{model=net})' | FileCheck %s

// CHECK-LABEL: llvm.func hidden @net_bytes_are_vpdpbusd
// CHECK-SAME: (%[[S:.*]]: vector<16xi32>, %[[X:.*]]: vector<16xi32>, %[[W:.*]]: vector<16xi32>)
func.func @bytes_are_vpdpbusd(%s: vector<16xi32>, %x: vector<16xi32>, %w: vector<16xi32>) -> vector<16xi32> {
  // CHECK-NEXT: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[S]], %[[X]], %[[W]])
  %r = kernel.dot_bytes bytes us %s, %x, %w : vector<16xi32>
  return %r : vector<16xi32>
}

// CHECK-LABEL: llvm.func hidden @net_narrow_bytes
func.func @narrow_bytes(%s: vector<8xi32>, %t: vector<4xi32>, %y: memref<8xi32>) -> vector<4xi32> {
  %c0 = arith.constant 0 : index
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
  %r = kernel.dot_bytes bytes us %s, %s, %s : vector<8xi32>
  vector.store %r, %y[%c0] : memref<8xi32>, vector<8xi32>
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
  %q = kernel.dot_bytes bytes us %t, %t, %t : vector<4xi32>
  return %q : vector<4xi32>
}

// CHECK-LABEL: llvm.func hidden @net_arm
// CHECK-SAME: (%[[S:.*]]: vector<4xi32>, %[[X:.*]]: vector<4xi32>, %[[W:.*]]: vector<4xi32>)
func.func @arm(%s: vector<4xi32>, %x: vector<4xi32>, %w: vector<4xi32>) -> vector<4xi32> {
  // CHECK-NEXT: %[[A:.*]] = llvm.bitcast %[[X]] : vector<4xi32> to vector<16xi8>
  // CHECK-NEXT: %[[B:.*]] = llvm.bitcast %[[W]] : vector<4xi32> to vector<16xi8>
  // CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[S]], %[[A]], %[[B]])
  %r = kernel.dot_bytes sdot ss %s, %x, %w : vector<4xi32>
  // CHECK: llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"(%[[R]],
  %q = kernel.dot_bytes usdot us %r, %x, %w : vector<4xi32>
  // CHECK: llvm.call_intrinsic "llvm.aarch64.neon.usmmla.v4i32.v16i8"
  %p = kernel.matmul_bytes %q, %x, %w : vector<4xi32>
  return %p : vector<4xi32>
}

// CHECK-LABEL: llvm.func hidden @net_words_are_vpdpwssd
func.func @words_are_vpdpwssd(%s: vector<8xi32>) -> vector<8xi32> {
  // CHECK-NEXT: llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.256"
  %r = kernel.dot_words bytes %s, %s, %s : vector<8xi32>
  return %r : vector<8xi32>
}

// CHECK-LABEL: llvm.func hidden @net_pairs_add
// CHECK-SAME: (%[[S:.*]]: vector<16xi32>, %[[X:.*]]: vector<16xi32>, %[[W:.*]]: vector<16xi32>)
func.func @pairs_add(%s: vector<16xi32>, %x: vector<16xi32>, %w: vector<16xi32>) -> vector<16xi32> {
  // CHECK-NEXT: %[[A:.*]] = llvm.bitcast %[[X]] : vector<16xi32> to vector<32xi16>
  // CHECK-NEXT: %[[B:.*]] = llvm.bitcast %[[W]] : vector<16xi32> to vector<32xi16>
  // CHECK-NEXT: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%[[A]], %[[B]])
  // CHECK-NEXT: llvm.add %[[S]], %[[P]] : vector<16xi32>
  %r = kernel.dot_words pairs %s, %x, %w : vector<16xi32>
  return %r : vector<16xi32>
}

// CHECK-LABEL: llvm.func hidden @net_narrow_pairs
func.func @narrow_pairs(%s: vector<8xi32>, %t: vector<4xi32>, %y: memref<8xi32>) -> vector<4xi32> {
  %c0 = arith.constant 0 : index
  // CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
  %r = kernel.dot_words pairs %s, %s, %s : vector<8xi32>
  vector.store %r, %y[%c0] : memref<8xi32>, vector<8xi32>
  // CHECK: llvm.call_intrinsic "llvm.x86.sse2.pmadd.wd"
  %q = kernel.dot_words pairs %t, %t, %t : vector<4xi32>
  return %q : vector<4xi32>
}
