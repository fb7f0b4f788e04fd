// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-bands-plan-bands{cache-bytes=81920 threads=1})' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-bands-plan-bands{cache-bytes=81920 threads=3 takes-all})' | FileCheck %s --check-prefix=THREE
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-bands-plan-bands{cache-bytes=1000000 threads=1})' | FileCheck %s --check-prefix=LARGE
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-bands-plan-bands)' | FileCheck %s --check-prefix=LARGE

// A tensor has 32 rows of 16 planes of 160 bytes, 80 KiB. Two tensors do not fit in the cache;
// bands of 8 rows do. A 3 x 3 layer is one row behind the previous layer. If the cache holds all
// tensors, bands save nothing.
// LARGE-NOT: #task.bands
// CHECK-LABEL: @main
// CHECK: task.run @three_0(%arg0) {bands = #task.bands<group = 0, ends = [8, 16, 24, 32], savedNs =
// CHECK: task.run @three_0(%{{.*}}) {bands = #task.bands<group = 0, ends = [7, 15, 23, 32], savedNs =
// CHECK: task.run @three_0(%{{.*}}) {bands = #task.bands<group = 0, ends = [6, 14, 22, 32], savedNs =
// THREE-LABEL: @main
// THREE: task.run @three_0(%arg0) {bands = #task.bands<group = 0, ends = [5, 10, 16, 21, 26, 32]
func.func @main(%x: tensor<1x16x32x40xf32>) -> tensor<1x16x32x40xf32> {
  %0 = task.run @three_0(%x) : (tensor<1x16x32x40xf32>) -> tensor<1x16x32x40xf32>
  %1 = task.run @three_0(%0) : (tensor<1x16x32x40xf32>) -> tensor<1x16x32x40xf32>
  %2 = task.run @three_0(%1) : (tensor<1x16x32x40xf32>) -> tensor<1x16x32x40xf32>
  return %2 : tensor<1x16x32x40xf32>
}
task.kernel @three_0(%a: memref<20480xf32>, %b: memref<20480xf32>, %begin: index, %end: index)
    attributes {range = 32 : i64, tensors = (tensor<1x16x32x40xf32>) -> tensor<1x16x32x40xf32>,
                rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                               21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32], reads = [array<i64: 3, 1, 1>]>} {
  task.return
}

// -----

// A kernel that reads all of its operand for each row ends a group, and so does a kernel without
// rows.
// CHECK-LABEL: @main
// CHECK-NOT: #task.bands
// CHECK: return
// THREE-LABEL: @main
// THREE: task.run @one_0(%arg0) :
// THREE: task.run @all_0(%{{[0-9]+}}) {bands = #task.bands<group = 0, ends = [8, 16, 24]
// THREE: task.run @one_0(%{{[0-9]+}}) {bands = #task.bands<group = 0, ends = [8, 16, 24]
// THREE: task.run @none_0
// THREE-NOT: #task.bands
// THREE: return
func.func @main(%x: tensor<1x16x24x4xf32>) -> tensor<1x16x24x4xf32> {
  %0 = task.run @one_0(%x) : (tensor<1x16x24x4xf32>) -> tensor<1x16x24x4xf32>
  %1 = task.run @all_0(%0) : (tensor<1x16x24x4xf32>) -> tensor<1x16x24x4xf32>
  %2 = task.run @one_0(%1) : (tensor<1x16x24x4xf32>) -> tensor<1x16x24x4xf32>
  %3 = task.run @none_0(%2) : (tensor<1x16x24x4xf32>) -> tensor<1x16x24x4xf32>
  return %3 : tensor<1x16x24x4xf32>
}
task.kernel @one_0(%a: memref<1536xf32>, %b: memref<1536xf32>, %begin: index, %end: index)
    attributes {range = 6 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                             13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], reads = [array<i64: 1, 1, 0>]>} {
  task.return
}
task.kernel @all_0(%a: memref<1536xf32>, %b: memref<1536xf32>, %begin: index, %end: index)
    attributes {range = 6 : i64, rows = #task.row_steps<outer = 1, inner = 1, ends = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                             13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], reads = [array<i64>]>} {
  task.return
}
task.kernel @none_0(%a: memref<1536xf32>, %b: memref<1536xf32>, %begin: index, %end: index)
    attributes {range = 6 : i64} {
  task.return
}
