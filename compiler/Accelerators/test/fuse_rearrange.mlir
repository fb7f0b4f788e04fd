// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-fuse-layers{device=nvdla-full}))' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(convoy-accelerators-fuse-layers{device=nvdla-large}))' | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: @depth_to_space
// CHECK: %[[Y:.*]] = convcore.rearrange %arg0 {apart = array<i64: 1, 2, 2, 16, 4, 4>, convcore.nodes = array<i64: 0, 1, 2>, permutation = array<i64: 0, 3, 4, 1, 5, 2>, shape = array<i64: 1, 16, 8, 8>}
// CHECK-NEXT: return %[[Y]]
// A device without rearrangements keeps the three ops.
// NONE-LABEL: @depth_to_space
// NONE: convcore.reshape
// NONE: convcore.transpose
// NONE: convcore.reshape
func.func @depth_to_space(%x: tensor<1x64x4x4xf32>) -> tensor<1x16x8x8xf32> {
  %0 = convcore.reshape %x {convcore.nodes = array<i64: 0>, shape = array<i64: 1, 2, 2, 16, 4, 4>} : (tensor<1x64x4x4xf32>) -> tensor<1x2x2x16x4x4xf32>
  %1 = convcore.transpose %0 {convcore.nodes = array<i64: 1>, permutation = array<i64: 0, 3, 4, 1, 5, 2>} : (tensor<1x2x2x16x4x4xf32>) -> tensor<1x16x4x2x4x2xf32>
  %2 = convcore.reshape %1 {convcore.nodes = array<i64: 2>, shape = array<i64: 1, 16, 8, 8>} : (tensor<1x16x4x2x4x2xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

// -----

// CHECK-LABEL: @transpose_alone
// CHECK: convcore.rearrange %arg0 {apart = array<i64: 1, 8, 4, 6>, {{.*}}permutation = array<i64: 0, 2, 1, 3>, shape = array<i64: 1, 4, 8, 6>}
func.func @transpose_alone(%x: tensor<1x8x4x6xf32>) -> tensor<1x4x8x6xf32> {
  %0 = convcore.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x8x6xf32>
  return %0 : tensor<1x4x8x6xf32>
}

// -----

// The transposed tensor has another user, so the second reshape stays.
// CHECK-LABEL: @another_user
// CHECK: %[[T:.*]] = convcore.rearrange
// CHECK: %[[R:.*]] = convcore.reshape %[[T]]
// CHECK: return %[[T]], %[[R]]
func.func @another_user(%x: tensor<1x8x4x6xf32>) -> (tensor<1x4x8x6xf32>, tensor<1x32x1x6xf32>) {
  %0 = convcore.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x8x4x6xf32>) -> tensor<1x4x8x6xf32>
  %1 = convcore.reshape %0 {shape = array<i64: 1, 32, 1, 6>} : (tensor<1x4x8x6xf32>) -> tensor<1x32x1x6xf32>
  return %0, %1 : tensor<1x4x8x6xf32>, tensor<1x32x1x6xf32>
}
