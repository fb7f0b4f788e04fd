// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16},func.func(convoy-layout-choose-layouts{strict-math=true},convoy-layout-check-layouts))' | FileCheck %s

// No data is reordered between the first convolution, which reads the planar input, and the
// reduction after the last convolution. The only reorder is between layouts with the same bytes.
// CHECK-LABEL: func @chain
// CHECK: graph.constant {{.*}} tensor<32x3x3x3xf32, #kernel.conv_weights<o = 16, i = 3, transposed = false>>
// CHECK: graph.constant {{.*}} tensor<32x32x3x3xf32, #kernel.conv_weights<o = 16, i = 8, transposed = false>>
// CHECK-NOT: graph.reorder
// CHECK: graph.conv
// CHECK: config = #kernel.conv_direct<block = 8,
// CHECK-SAME: (tensor<1x3x16x16xf32>, {{.*}}) -> tensor<1x32x16x16xf32, #graph.blocked<c = 8>>
// CHECK-NOT: graph.reorder
// CHECK: graph.max_pool
// CHECK: -> tensor<1x32x8x8xf32, #graph.blocked<c = 8>>
// CHECK-NOT: graph.reorder
// CHECK: graph.conv
// CHECK: config = #kernel.conv_direct<block = 8,
// CHECK-NOT: graph.reorder
// CHECK: graph.reduce
// CHECK: graph.reorder %{{.*}} : (tensor<1x32x1x1xf32, #graph.blocked<c = 8>>) -> tensor<1x32x1x1xf32>
// CHECK-NEXT: return
func.func @chain(%x: tensor<1x3x16x16xf32>) -> tensor<1x32x1x1xf32> {
  %w0 = graph.constant dense<0.5> : tensor<32x3x3x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<32x32x3x3xf32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x3x16x16xf32>, %b: tensor<32x3x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x16x16xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x16x16xf32>
    %5 = graph.unary relu %4 : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
    graph.yield %5 : tensor<1x32x16x16xf32>
  } : (tensor<1x3x16x16xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x16x16xf32>
  %1 = graph.kernel %0 {
  ^bb0(%a: tensor<1x32x16x16xf32>):
    %4, %5 = graph.max_pool %a {ceilMode = false, columnMajor = false, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x32x16x16xf32>) -> (tensor<1x32x8x8xf32>, tensor<1x32x8x8xi64>)
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x32x16x16xf32>) -> tensor<1x32x8x8xf32>
  %2 = graph.kernel %1, %w1 {
  ^bb0(%a: tensor<1x32x8x8xf32>, %b: tensor<32x32x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
  %3 = graph.kernel %2 {
  ^bb0(%a: tensor<1x32x8x8xf32>):
    %axes = graph.constant dense<[2, 3]> : tensor<2xi64>
    %4 = graph.reduce mean %a over %axes {keepDims = true} : (tensor<1x32x8x8xf32>, tensor<2xi64>) -> tensor<1x32x1x1xf32>
    graph.yield %4 : tensor<1x32x1x1xf32>
  } : (tensor<1x32x8x8xf32>) -> tensor<1x32x1x1xf32>
  return %3 : tensor<1x32x1x1xf32>
}

// A kernel between planar neighbors stays planar: reorders would cost more than the blocked layout
// saves.
// CHECK-LABEL: func @alone
// CHECK-NOT: graph.blocked
// CHECK: return
func.func @alone(%x: tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32> {
  %0 = graph.kernel %x {
  ^bb0(%a: tensor<1x32x16x16xf32>):
    %1 = graph.unary relu %a : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
    graph.yield %1 : tensor<1x32x16x16xf32>
  } : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32>
  return %0 : tensor<1x32x16x16xf32>
}

// A reorder has a fixed cost, so a tiny convolution between planar values stays planar: two reorders
// would cost more than its template saves.
// CHECK-LABEL: func @tiny_stays_planar
// CHECK-NOT: graph.blocked
// CHECK: return
func.func @tiny_stays_planar(%x: tensor<1x16x1x1xf32>) -> tensor<1x4x1x1xf32> {
  %w = graph.constant dense<0.5> : tensor<4x16x1x1xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x16x1x1xf32>, %b: tensor<4x16x1x1xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x16x1x1xf32>, tensor<4x16x1x1xf32>) -> tensor<1x4x1x1xf32>
    graph.yield %1 : tensor<1x4x1x1xf32>
  } : (tensor<1x16x1x1xf32>, tensor<4x16x1x1xf32>) -> tensor<1x4x1x1xf32>
  return %0 : tensor<1x4x1x1xf32>
}

// Half a block of channels: a pool with a stride is still cheaper along channels than with a
// reorder before and after it.
// CHECK-LABEL: func @few_channels_stay_blocked
// CHECK: graph.conv
// CHECK-NOT: graph.reorder
// CHECK: graph.max_pool {{.*}}tensor<1x4x16x16xf32, #graph.blocked<c = 8>>
// CHECK-NOT: graph.reorder
// CHECK: graph.conv
// CHECK: return
func.func @few_channels_stay_blocked(%x: tensor<1x3x16x16xf32>) -> tensor<1x32x8x8xf32> {
  %w0 = graph.constant dense<0.5> : tensor<4x3x3x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<32x4x3x3xf32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x3x16x16xf32>, %b: tensor<4x3x3x3xf32>):
    %3 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x16x16xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x16x16xf32>
    graph.yield %3 : tensor<1x4x16x16xf32>
  } : (tensor<1x3x16x16xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x16x16xf32>
  %1 = graph.kernel %0 {
  ^bb0(%a: tensor<1x4x16x16xf32>):
    %3, %4 = graph.max_pool %a {ceilMode = false, columnMajor = false, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x4x16x16xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xi64>)
    graph.yield %3 : tensor<1x4x8x8xf32>
  } : (tensor<1x4x16x16xf32>) -> tensor<1x4x8x8xf32>
  %2 = graph.kernel %1, %w1 {
  ^bb0(%a: tensor<1x4x8x8xf32>, %b: tensor<32x4x3x3xf32>):
    %3 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<32x4x3x3xf32>) -> tensor<1x32x8x8xf32>
    graph.yield %3 : tensor<1x32x8x8xf32>
  } : (tensor<1x4x8x8xf32>, tensor<32x4x3x3xf32>) -> tensor<1x32x8x8xf32>
  return %2 : tensor<1x32x8x8xf32>
}

// A branch reorders a captured value inside the branch.
// CHECK-LABEL: func @branch_reorders_what_it_captures
// CHECK: %[[OUTER:.*]] = graph.if
// CHECK: } : (tensor<i1>) -> tensor<1x24x24x24xf32>
// CHECK-NOT: graph.reorder
// CHECK: graph.if
// CHECK: graph.kernel %[[OUTER]]
// CHECK: graph.reorder {{.*}} -> tensor<1x24x24x24xf32, #graph.blocked<c = 8>>
// CHECK: graph.conv
func.func @branch_reorders_what_it_captures(%x: tensor<1x24x24x24xf32>, %c: tensor<i1>) -> tensor<1x64x24x24xf32> {
  %w = graph.constant dense<0.5> : tensor<64x24x3x3xf32>
  %zero = graph.constant dense<0.0> : tensor<1x64x24x24xf32>
  %0 = graph.if %c {
    %2 = graph.kernel %x {
    ^bb0(%a: tensor<1x24x24x24xf32>):
      %3 = graph.unary relu %a : (tensor<1x24x24x24xf32>) -> tensor<1x24x24x24xf32>
      graph.yield %3 : tensor<1x24x24x24xf32>
    } : (tensor<1x24x24x24xf32>) -> tensor<1x24x24x24xf32>
    graph.yield %2 : tensor<1x24x24x24xf32>
  } else {
    graph.yield %x : tensor<1x24x24x24xf32>
  } : (tensor<i1>) -> tensor<1x24x24x24xf32>
  %1 = graph.if %c {
    %4 = graph.kernel %0, %w {
    ^bb0(%a: tensor<1x24x24x24xf32>, %b: tensor<64x24x3x3xf32>):
      %5 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x24x24x24xf32>, tensor<64x24x3x3xf32>) -> tensor<1x64x24x24xf32>
      graph.yield %5 : tensor<1x64x24x24xf32>
    } : (tensor<1x24x24x24xf32>, tensor<64x24x3x3xf32>) -> tensor<1x64x24x24xf32>
    graph.yield %4 : tensor<1x64x24x24xf32>
  } else {
    graph.yield %zero : tensor<1x64x24x24xf32>
  } : (tensor<i1>) -> tensor<1x64x24x24xf32>
  return %1 : tensor<1x64x24x24xf32>
}

// The epilogue and the product read the same input. The rows of the input are whole blocks, which
// have the same bytes in both layouts.
// CHECK-LABEL: func @gate_of_whole_blocks
// CHECK: graph.matmul
// CHECK: config = #kernel.conv_direct<block = 8,
// CHECK-SAME: (tensor<20x32xf32>, tensor<32x32xf32, #kernel.conv_weights<{{.*}}>>) -> tensor<20x32xf32, #graph.blocked<c = 8>>
func.func @gate_of_whole_blocks(%x: tensor<20x32xf32>) -> tensor<20x32xf32> {
  %w = graph.constant dense<0.5> : tensor<32x32xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<20x32xf32>, %b: tensor<32x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<20x32xf32>, tensor<32x32xf32>) -> tensor<20x32xf32>
    %2 = graph.binary mul %a, %1 : (tensor<20x32xf32>, tensor<20x32xf32>) -> tensor<20x32xf32>
    graph.yield %2 : tensor<20x32xf32>
  } : (tensor<20x32xf32>, tensor<32x32xf32>) -> tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}

// Rows of 33 elements are not whole blocks: the generic loops run the kernel.
// CHECK-LABEL: func @gate_of_part_of_a_block
// CHECK: graph.matmul
// CHECK-NOT: config
// CHECK: return
func.func @gate_of_part_of_a_block(%x: tensor<20x33xf32>) -> tensor<20x33xf32> {
  %w = graph.constant dense<0.5> : tensor<33x33xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<20x33xf32>, %b: tensor<33x33xf32>):
    %1 = graph.matmul %a, %b : (tensor<20x33xf32>, tensor<33x33xf32>) -> tensor<20x33xf32>
    %2 = graph.binary mul %a, %1 : (tensor<20x33xf32>, tensor<20x33xf32>) -> tensor<20x33xf32>
    graph.yield %2 : tensor<20x33xf32>
  } : (tensor<20x33xf32>, tensor<33x33xf32>) -> tensor<20x33xf32>
  return %0 : tensor<20x33xf32>
}

// A gather and a pad along pixels move whole blocks of channels, so nothing is reordered between
// the convolutions. The positions are planar.
// CHECK-LABEL: func @moved_pixels_stay_blocked
// CHECK: graph.conv
// CHECK-NOT: graph.reorder
// CHECK: graph.gather {{.*}} tensor<6xi32>) -> tensor<1x32x8x6xf32
// CHECK-NOT: graph.reorder
// CHECK: graph.pad {{.*}}tensor<1x32x8x6xf32, #graph.blocked<c = 8>>
// CHECK-NOT: graph.reorder
// CHECK: graph.conv
func.func @moved_pixels_stay_blocked(%x: tensor<1x3x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %w0 = graph.constant dense<0.5> : tensor<32x3x3x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<32x32x3x3xf32>
  %at = graph.constant dense<[0, 2, 3, 4, 6, 7]> : tensor<6xi32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x3x8x8xf32>, %b: tensor<32x3x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x8x8xf32>
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = graph.kernel %0, %at {
  ^bb0(%a: tensor<1x32x8x8xf32>, %b: tensor<6xi32>):
    %4 = graph.gather %a, %b {axis = 3 : i64} : (tensor<1x32x8x8xf32>, tensor<6xi32>) -> tensor<1x32x8x6xf32>
    graph.yield %4 : tensor<1x32x8x6xf32>
  } : (tensor<1x32x8x8xf32>, tensor<6xi32>) -> tensor<1x32x8x6xf32>
  %2 = graph.kernel %1 {
  ^bb0(%a: tensor<1x32x8x6xf32>):
    %pads = graph.constant dense<[0, 0, 0, 1, 0, 0, 0, 1]> : tensor<8xi64>
    %4 = graph.pad %a, %pads {mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x32x8x6xf32>, tensor<8xi64>) -> tensor<1x32x8x8xf32>
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x32x8x6xf32>) -> tensor<1x32x8x8xf32>
  %3 = graph.kernel %2, %w1 {
  ^bb0(%a: tensor<1x32x8x8xf32>, %b: tensor<32x32x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
  return %3 : tensor<1x32x8x8xf32>
}

// A slice of whole blocks keeps the layout; a slice of parts of blocks does not.
// CHECK-LABEL: func @slices_of_whole_blocks_stay_blocked
// CHECK: graph.conv
// CHECK-NOT: graph.reorder
// CHECK: graph.slice {{.*}} -> tensor<1x16x8x8xf32, #graph.blocked<c = 8>>
// CHECK-NOT: graph.reorder
// CHECK: graph.conv
func.func @slices_of_whole_blocks_stay_blocked(%x: tensor<1x3x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %w0 = graph.constant dense<0.5> : tensor<32x3x3x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<32x16x3x3xf32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x3x8x8xf32>, %b: tensor<32x3x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x8x8xf32>
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x3x8x8xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = graph.kernel %0 {
  ^bb0(%a: tensor<1x32x8x8xf32>):
    %starts = graph.constant dense<[16]> : tensor<1xi64>
    %ends = graph.constant dense<[32]> : tensor<1xi64>
    %axes = graph.constant dense<[1]> : tensor<1xi64>
    %4 = graph.slice %a, %starts, %ends, %axes {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x32x8x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x16x8x8xf32>
    graph.yield %4 : tensor<1x16x8x8xf32>
  } : (tensor<1x32x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = graph.kernel %1, %w1 {
  ^bb0(%a: tensor<1x16x8x8xf32>, %b: tensor<32x16x3x3xf32>):
    %4 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
    graph.yield %4 : tensor<1x32x8x8xf32>
  } : (tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32>
  return %2 : tensor<1x32x8x8xf32>
}
