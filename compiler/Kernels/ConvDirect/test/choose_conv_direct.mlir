// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=AVX512
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32 vector-registers=16},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=AVX2
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 vector-registers=16 fma-ports=0},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=SSE
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 vector-registers=32},func.func(convoy-layout-choose-layouts{strict-math=true}))' | FileCheck %s --check-prefix=NEON
// RUN: convoy-opt %s -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=64 vector-registers=32},func.func(convoy-layout-choose-layouts))' | FileCheck %s --check-prefix=FAST

// A tile of V vectors and P pixels holds V * P accumulators, V weights and one pixel. SSE has no
// multiply-add, which costs one register. Small tiles unroll more channels.
// AVX512-LABEL: func @tiles_fill_the_registers
// AVX512-COUNT-2: #kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 16, unroll = 4,
// AVX2-LABEL: func @tiles_fill_the_registers
// AVX2-COUNT-2: #kernel.conv_direct<block = 8, vectors = 2, pixels = 6, depth = 24, unroll = 8,
// SSE-LABEL: func @tiles_fill_the_registers
// SSE-COUNT-2: #kernel.conv_direct<block = 4, vectors = 1, pixels = 13, depth = {{[0-9]+}}, unroll = 4,
// NEON-LABEL: func @tiles_fill_the_registers
// NEON-COUNT-2: #kernel.conv_direct<block = 4, vectors = 2, pixels = 14, depth = {{[0-9]+}}, unroll = 4,
func.func @tiles_fill_the_registers(%x: tensor<1x64x56x56xf32>) -> tensor<1x96x56x56xf32> {
  %w0 = graph.constant dense<0.5> : tensor<96x64x3x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<96x96x3x3xf32>
  %0 = graph.kernel %x, %w0 {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<96x64x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x64x56x56xf32>, tensor<96x64x3x3xf32>) -> tensor<1x96x56x56xf32>
    graph.yield %2 : tensor<1x96x56x56xf32>
  } : (tensor<1x64x56x56xf32>, tensor<96x64x3x3xf32>) -> tensor<1x96x56x56xf32>
  %1 = graph.kernel %0, %w1 {
  ^bb0(%a: tensor<1x96x56x56xf32>, %b: tensor<96x96x3x3xf32>):
    %2 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x96x56x56xf32>, tensor<96x96x3x3xf32>) -> tensor<1x96x56x56xf32>
    graph.yield %2 : tensor<1x96x56x56xf32>
  } : (tensor<1x96x56x56xf32>, tensor<96x96x3x3xf32>) -> tensor<1x96x56x56xf32>
  return %1 : tensor<1x96x56x56xf32>
}

// The rows of a matrix that exceeds the second-level cache are split into parts, and a task computes
// all panels of a part. 150 rows of 768 channels fit in half of the cache of 1 MiB.
// AVX512-LABEL: func @large_matrix_has_parts
// AVX512: #kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 128, unroll = 4, columns = 150, rows = 1, panels = 2,
func.func @large_matrix_has_parts(%x: tensor<1500x768xf32>) -> tensor<1500x64xf32> {
  %w = graph.constant dense<0.5> : tensor<768x64xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1500x768xf32>, %b: tensor<768x64xf32>):
    %2 = graph.matmul %a, %b : (tensor<1500x768xf32>, tensor<768x64xf32>) -> tensor<1500x64xf32>
    graph.yield %2 : tensor<1500x64xf32>
  } : (tensor<1500x768xf32>, tensor<768x64xf32>) -> tensor<1500x64xf32>
  return %0 : tensor<1500x64xf32>
}

// Rows of 1024 channels are a multiple of a page apart, so a tile with 14 pixels would need more lines
// of one set of the first-level cache than the set has.
// AVX512-LABEL: func @rows_share_a_set
// AVX512: #kernel.conv_direct<block = 16, vectors = 4, pixels = 6, depth = 64, unroll = 4, columns = 0,
func.func @rows_share_a_set(%x: tensor<128x1024xf32>) -> tensor<128x64xf32> {
  %w = graph.constant dense<0.5> : tensor<1024x64xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<128x1024xf32>, %b: tensor<1024x64xf32>):
    %2 = graph.matmul %a, %b : (tensor<128x1024xf32>, tensor<1024x64xf32>) -> tensor<128x64xf32>
    graph.yield %2 : tensor<128x64xf32>
  } : (tensor<128x1024xf32>, tensor<1024x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// Groups of 24 channels are not whole blocks. The kernel computes all 37 groups as one. A panel of one
// vector reads the channels of one or two groups. Strict math does not multiply by the zeros between
// groups.
// AVX512-LABEL: func @groups_are_one
// AVX512-NOT: #kernel.conv_direct
// AVX512: return
// FAST-LABEL: func @groups_are_one
// FAST: graph.constant {{.*}} tensor<888x24x3x3xf32, #kernel.conv_weights<o = 16, i = 16, transposed = false, groups = 37>>
// FAST: #kernel.conv_direct<block = 16, vectors = 1, pixels = 7, depth = 896,
func.func @groups_are_one(%x: tensor<1x888x7x7xf32>) -> tensor<1x888x7x7xf32> {
  %w = graph.constant dense<0.5> : tensor<888x24x3x3xf32>
  %0 = graph.kernel %x, %w {
  ^bb0(%a: tensor<1x888x7x7xf32>, %b: tensor<888x24x3x3xf32>):
    %1 = graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = 37 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x888x7x7xf32>, tensor<888x24x3x3xf32>) -> tensor<1x888x7x7xf32>
    graph.yield %1 : tensor<1x888x7x7xf32>
  } : (tensor<1x888x7x7xf32>, tensor<888x24x3x3xf32>) -> tensor<1x888x7x7xf32>
  return %0 : tensor<1x888x7x7xf32>
}
