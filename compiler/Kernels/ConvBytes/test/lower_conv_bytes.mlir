// RUN: convoy-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(convoy-kernels-insert-machine{byte-ops=true vector-registers=8},convoy-kernels-lower-conv-bytes)' | FileCheck %s

#x = #graph.blocked<c = 8>
#y = #graph.blocked<c = 6>
#w = #kernel.byte_groups<transposed = false, offset = 0>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// A pointwise convolution reads rows of its input directly. The weights of two groups of four
// channels have no corrections, because the zero point is 0.
// CHECK-LABEL: task.kernel @pointwise_reads_rows
// CHECK-SAME: (%[[X:.*]]: memref<160xi8>, %[[W:.*]]: memref<128xi8>, %[[B:.*]]: memref<8xi32>, %[[M:.*]]: memref<8xi32>, %[[S:.*]]: memref<8xi32>, %[[Y:.*]]: memref<36xi8>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK-SAME: range = 2 : i64
// CHECK-SAME: rows
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[TO:.*]] = task.row_view %[[Y]][%[[ROW]]] rows 2 : memref<36xi8>
// CHECK: %[[AT:.*]] = arith.muli %[[ROW]], %{{.*}}
// CHECK: %[[FROM:.*]] = task.row_view %[[X]][%[[AT]]] rows 4 : memref<160xi8>
// CHECK: kernel.byte_product %[[FROM]][%{{.*}}], %[[W]][%{{.*}}], %[[B]][%{{.*}}], %[[M]][%{{.*}}], %[[S]][%{{.*}}], %[[B]][%{{.*}}] to %[[TO]][%{{.*}}], %{{.*}} {channels = 6 : i64, depth = 8 : i64, first = 0 : i64, high = 127 : i64, inputBytes = 8 : i64, inputStep = 16 : i64, inputZeroPoint = 0 : i64, low = -128 : i64, resultStep = 6 : i64, rounding = 1 : i64, tableStep = 4 : i64, tile = 3 : i64, width = 1 : i64, zeroPoint = -3 : i64, zeroStep = -1 : i64}
// CHECK-NOT: byte_patch
task.kernel @pointwise_reads_rows(%x: tensor<1x8x4x5xi8, #x>, %w: tensor<6x8x1x1xi8, #w>, %b: tensor<6xi32, #table>, %m: tensor<6xi32, #table>, %s: tensor<6xi32, #shifts>)
    -> tensor<1x6x2x3xi8, #y>
    attributes {config = #kernel.conv_bytes<pixels = 0, tile = 3, width = 1>} {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x5xi8, #x>, tensor<6x8x1x1xi8, #w>, tensor<6xi32, #table>) -> tensor<1x6x2x3xi32, #y>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = -3 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x6x2x3xi32, #y>, tensor<6xi32, #table>, tensor<6xi32, #shifts>) -> tensor<1x6x2x3xi8, #y>
  task.return %1 : tensor<1x6x2x3xi8, #y>
}

// -----

#y = #graph.blocked<c = 4>
#w = #kernel.byte_groups<transposed = false, offset = 83>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// Several taps are copied to patches. Rows outside the input are the zero point. The groups of
// weights start with corrections. The scalar multiplier and shift are tables on the stack; 31 - 35
// is -4. Nothing else writes the padding of the last patch, 7 bytes after the last tap.
// CHECK-LABEL: task.kernel @taps_are_copied
// CHECK-SAME: %[[SCRATCH:[^:]*]]: memref<32xi8>, %{{[^:]*}}: index, %{{[^:]*}}: index)
// CHECK-SAME: scratch = 32 : i64
// CHECK: %[[M:.*]] = memref.alloca() : memref<4xi32>
// CHECK: %[[S:.*]] = memref.alloca() : memref<4xi32>
// CHECK: %[[FOUR:.*]] = arith.constant -4 : i32
// CHECK: memref.store %[[FOUR]], %[[S]]
// CHECK: %[[PADDING:.*]] = arith.constant 25 : index
// CHECK: kernel.byte_fill %[[SCRATCH]][%[[PADDING]]], %{{.*}} {value = 0 : i64}
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for %[[FIRST:.*]] =
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: scf.for
// CHECK: scf.if
// CHECK: kernel.byte_patch %{{.*}}[%{{.*}}] to %[[SCRATCH]][%{{.*}}], %[[FIRST]], %[[COUNT]] {channels = 1 : i64, columns = 5 : i64, dilation = 1 : i64, pad = 1 : i64, patchStep = 16 : i64, stride = 1 : i64, taps = 3 : i64, zeroPoint = 83 : i64}
// CHECK: } else {
// CHECK: kernel.byte_fill %[[SCRATCH]][%{{.*}}], %{{.*}} {value = 83 : i64}
// CHECK: kernel.byte_product %[[SCRATCH]]
// CHECK-SAME: %[[M]][%{{.*}}], %[[S]][%{{.*}}], %{{.*}} to
// CHECK-SAME: first = 16 : i64
// CHECK-SAME: inputBytes = 16 : i64, inputStep = 16 : i64
// CHECK-SAME: tableStep = 0 : i64
task.kernel @taps_are_copied(%x: tensor<1x1x4x5xi8>, %w: tensor<4x1x3x3xi8, #w>, %b: tensor<4xi32, #table>)
    -> tensor<1x4x4x5xi8, #y>
    attributes {config = #kernel.conv_bytes<pixels = 2, tile = 2, width = 1>} {
  %m = graph.constant dense<1518500250> : tensor<i32>
  %s = graph.constant dense<35> : tensor<i32>
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 83 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x4x5xi8>, tensor<4x1x3x3xi8, #w>, tensor<4xi32, #table>) -> tensor<1x4x4x5xi32, #y>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x4x4x5xi32, #y>, tensor<i32>, tensor<i32>) -> tensor<1x4x4x5xi8, #y>
  task.return %1 : tensor<1x4x4x5xi8, #y>
}

// -----

#y = #graph.blocked<c = 4>
#w = #kernel.byte_groups<transposed = false, offset = -128>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// The pool comes before the rescaling. A step is a row of the pool, and its result has two rows.
// CHECK-LABEL: task.kernel @pool_before_rescaling
// CHECK-SAME: %[[SCRATCH:[^:]*]]: memref<64xi8>
// CHECK-SAME: range = 2 : i64
// CHECK: task.row_view %{{.*}}[%{{.*}}] rows 2 : memref<16xi8>
// CHECK: kernel.byte_patch
// CHECK: kernel.byte_product_max %[[SCRATCH]]
// CHECK-SAME: depth = 9 : i64
task.kernel @pool_before_rescaling(%x: tensor<1x1x4x5xi8>, %w: tensor<4x1x3x3xi8, #w>, %b: tensor<4xi32, #table>, %m: tensor<4xi32, #table>, %s: tensor<4xi32, #shifts>)
    -> tensor<1x4x2x2xi8, #y>
    attributes {config = #kernel.conv_bytes<pixels = 4, tile = 2, width = 1>} {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = -128 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x4x5xi8>, tensor<4x1x3x3xi8, #w>, tensor<4xi32, #table>) -> tensor<1x4x4x5xi32, #y>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x4x4x5xi32, #y>, tensor<4xi32, #table>, tensor<4xi32, #shifts>) -> tensor<1x4x4x5xi8, #y>
  %2, %3 = graph.max_pool %1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, columnMajor = false}
      : (tensor<1x4x4x5xi8, #y>) -> (tensor<1x4x2x2xi8, #y>, tensor<1x4x2x2xi64, #y>)
  task.return %2 : tensor<1x4x2x2xi8, #y>
}

// -----

#w = #kernel.byte_groups<transposed = true, offset = 0>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// A product has one step per row of its left operand, and its matrices have no views.
// CHECK-LABEL: task.kernel @product
// CHECK-SAME: range = 3 : i64
// CHECK-NOT: task.row_view
// CHECK: kernel.byte_product
// CHECK-SAME: channels = 2 : i64, depth = 5 : i64
task.kernel @product(%x: tensor<3x5xi8>, %w: tensor<5x2xi8, #w>, %b: tensor<2xi32, #table>, %m: tensor<2xi32, #table>, %s: tensor<2xi32, #shifts>)
    -> tensor<3x2xi8>
    attributes {config = #kernel.conv_bytes<pixels = 0, tile = 3, width = 1>} {
  %0 = graph.integer_matmul %x, %w, %b {lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 : i64}
      : (tensor<3x5xi8>, tensor<5x2xi8, #w>, tensor<2xi32, #table>) -> tensor<3x2xi32>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<3x2xi32>, tensor<2xi32, #table>, tensor<2xi32, #shifts>) -> tensor<3x2xi8>
  task.return %1 : tensor<3x2xi8>
}

// -----

#x = #graph.blocked<c = 8>
#w = #kernel.byte_groups<transposed = false, offset = 0>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// Products of pairs read patches of 16-bit numbers. A pointwise convolution extends its pixels
// without a copy of bytes.
// CHECK-LABEL: task.kernel @extended_pixels
// CHECK-SAME: %[[SCRATCH:[^:]*]]: memref<64xi8>
// CHECK: kernel.byte_extend %{{.*}}[%{{.*}}] to %[[SCRATCH]][%{{.*}}], %{{.*}} {depth = 8 : i64, inputStep = 8 : i64, patchStep = 32 : i64}
// CHECK: kernel.byte_product %[[SCRATCH]]
// CHECK-SAME: inputBytes = 16 : i64, inputStep = 32 : i64
// CHECK-SAME: tile = 2 : i64, width = 2 : i64
task.kernel @extended_pixels(%x: tensor<1x8x4x4xi8, #x>, %w: tensor<8x8x1x1xi8, #w>, %b: tensor<8xi32, #table>, %m: tensor<8xi32, #table>, %s: tensor<8xi32, #shifts>)
    -> tensor<1x8x4x4xi8, #x>
    attributes {config = #kernel.conv_bytes<pixels = 2, tile = 2, width = 2>} {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x4xi8, #x>, tensor<8x8x1x1xi8, #w>, tensor<8xi32, #table>) -> tensor<1x8x4x4xi32, #x>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x8x4x4xi32, #x>, tensor<8xi32, #table>, tensor<8xi32, #shifts>) -> tensor<1x8x4x4xi8, #x>
  task.return %1 : tensor<1x8x4x4xi8, #x>
}

// -----

#x = #graph.blocked<c = 8>
#w = #kernel.byte_groups<transposed = false, offset = 0>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// The taps of extended patches are copied to their second halves.
// CHECK-LABEL: task.kernel @extended_taps
// CHECK-SAME: %[[SCRATCH:[^:]*]]: memref<320xi8>
// CHECK: %[[HALF:.*]] = arith.constant 80 : index
// CHECK: kernel.byte_patch %{{.*}} to %[[SCRATCH]]
// CHECK-SAME: patchStep = 160 : i64
// CHECK: kernel.byte_extend %[[SCRATCH]][%[[HALF]]] to %[[SCRATCH]][%{{.*}}], %{{.*}} {depth = 72 : i64, inputStep = 160 : i64, patchStep = 160 : i64}
task.kernel @extended_taps(%x: tensor<1x8x4x4xi8, #x>, %w: tensor<8x8x3x3xi8, #w>, %b: tensor<8xi32, #table>, %m: tensor<8xi32, #table>, %s: tensor<8xi32, #shifts>)
    -> tensor<1x8x4x4xi8, #x>
    attributes {config = #kernel.conv_bytes<pixels = 2, tile = 2, width = 2>} {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x4xi8, #x>, tensor<8x8x3x3xi8, #w>, tensor<8xi32, #table>) -> tensor<1x8x4x4xi32, #x>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x8x4x4xi32, #x>, tensor<8xi32, #table>, tensor<8xi32, #shifts>) -> tensor<1x8x4x4xi8, #x>
  task.return %1 : tensor<1x8x4x4xi8, #x>
}

// -----

#x = #graph.blocked<c = 8>
#w = #kernel.byte_groups<transposed = false, offset = 0>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// expected-error @+1 {{has the configuration #kernel.conv_bytes<pixels = 0, tile = 3, width = 1>, which does not fit the kernel: the configuration reads the input directly, but the kernel has several taps, padding or a pool; this is a bug in convoy's layout stage}}
task.kernel @wrong_configuration(%x: tensor<1x8x4x4xi8, #x>, %w: tensor<8x8x3x3xi8, #w>, %b: tensor<8xi32, #table>, %m: tensor<8xi32, #table>, %s: tensor<8xi32, #shifts>)
    -> tensor<1x8x4x4xi8, #x>
    attributes {config = #kernel.conv_bytes<pixels = 0, tile = 3, width = 1>} {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x4xi8, #x>, tensor<8x8x3x3xi8, #w>, tensor<8xi32, #table>) -> tensor<1x8x4x4xi32, #x>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x8x4x4xi32, #x>, tensor<8xi32, #table>, tensor<8xi32, #shifts>) -> tensor<1x8x4x4xi8, #x>
  task.return %1 : tensor<1x8x4x4xi8, #x>
}

// -----

#x = #graph.blocked<c = 8>
#y = #graph.blocked<c = 6>
#w = #kernel.byte_groups<transposed = false, offset = 9>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// Zero points per channel are a table. The zero point of the input is needed for the total of a pixel.
// CHECK-LABEL: task.kernel @zero_points_per_channel
// CHECK-SAME: %[[Z:arg5]]: memref<8xi32>
// CHECK: kernel.byte_product
// CHECK-SAME: %[[Z]][%{{.*}}] to
// CHECK-SAME: inputZeroPoint = 9 : i64
// CHECK-SAME: zeroStep = 4 : i64
task.kernel @zero_points_per_channel(%x: tensor<1x8x4x5xi8, #x>, %w: tensor<6x8x1x1xi8, #w>, %b: tensor<6xi32, #table>, %m: tensor<6xi32, #table>, %s: tensor<6xi32, #shifts>, %z: tensor<6xi32, #table>)
    -> tensor<1x6x4x5xi8, #y>
    attributes {config = #kernel.conv_bytes<pixels = 0, tile = 1, width = 1>} {
  %0 = graph.integer_conv %x, %w, %b, %z {inputZeroPoint = 9 : i64, weightZeroPoint = 0 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x5xi8, #x>, tensor<6x8x1x1xi8, #w>, tensor<6xi32, #table>, tensor<6xi32, #table>) -> tensor<1x6x4x5xi32, #y>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = -3 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x6x4x5xi32, #y>, tensor<6xi32, #table>, tensor<6xi32, #shifts>) -> tensor<1x6x4x5xi8, #y>
  task.return %1 : tensor<1x6x4x5xi8, #y>
}

// -----

#x = #graph.blocked<c = 8>
#y = #graph.blocked<c = 6>
#w = #kernel.byte_groups<transposed = false, offset = 0>
#table = #kernel.rescale_table<lanes = 4, minuend = 0>
#shifts = #kernel.rescale_table<lanes = 4, minuend = 31>

// One zero point for all channels is a table of equal entries on the stack.
// CHECK-LABEL: task.kernel @one_zero_point
// CHECK: %[[Z:.*]] = memref.alloca() : memref<4xi32>
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK: memref.store %[[SEVEN]], %[[Z]]
// CHECK: kernel.byte_product
// CHECK-SAME: %[[Z]][%{{.*}}] to
// CHECK-SAME: zeroStep = 0 : i64
task.kernel @one_zero_point(%x: tensor<1x8x4x5xi8, #x>, %w: tensor<6x8x1x1xi8, #w>, %b: tensor<6xi32, #table>, %m: tensor<6xi32, #table>, %s: tensor<6xi32, #shifts>)
    -> tensor<1x6x4x5xi8, #y>
    attributes {config = #kernel.conv_bytes<pixels = 0, tile = 1, width = 1>} {
  %0 = graph.integer_conv %x, %w, %b {inputZeroPoint = 0 : i64, weightZeroPoint = 7 : i64, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x8x4x5xi8, #x>, tensor<6x8x1x1xi8, #w>, tensor<6xi32, #table>) -> tensor<1x6x4x5xi32, #y>
  %1 = graph.requantize %0, %m, %s {axis = 1 : i64, to = i8, inputZeroPoint = 0 : i64, zeroPoint = -3 : i64, low = -128 : i64, high = 127 : i64, rounding = 1 : i32}
      : (tensor<1x6x4x5xi32, #y>, tensor<6xi32, #table>, tensor<6xi32, #shifts>) -> tensor<1x6x4x5xi8, #y>
  task.return %1 : tensor<1x6x4x5xi8, #y>
}
