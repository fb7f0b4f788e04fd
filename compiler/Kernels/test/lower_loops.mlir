// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=32},convoy-kernels-lower-loops)' | FileCheck %s
// RUN: convoy-opt %s -split-input-file -pass-pipeline='builtin.module(convoy-kernels-insert-machine{vector-bytes=16 byte-ops=true},convoy-kernels-lower-loops)' | FileCheck %s --check-prefix=MICRO

// Dimensions that broadcast in the same way are merged; 2x3 against 2x1 must not be merged.
// CHECK-LABEL: @broadcast_keeps_dimensions_apart
// CHECK: scf.for
// CHECK: memref.load %arg1
// CHECK: vector.broadcast
task.kernel @broadcast_keeps_dimensions_apart(%x: tensor<1x2x1x4xf32>, %y: tensor<1x2x1x1xf32>)
    -> tensor<1x2x1x4xf32> {
  %0 = graph.binary sub %x, %y : (tensor<1x2x1x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x1x4xf32>
  task.return %0 : tensor<1x2x1x4xf32>
}

// -----

// Tensors of equal shape are processed as one row. The last vector overlaps the previous one and
// belongs to the same task, so no two tasks write the same bytes.
// CHECK-LABEL: @equal_shapes_are_one_row
// CHECK-SAME: memref<15xf32>, %arg1: memref<15xf32>, %arg2: index, %arg3: index) attributes {{.*}}range = 1 : i64
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %arg3, %c1
// CHECK: %[[END:.*]] = arith.select %[[LAST]], %c2{{.*}}, %arg3
// CHECK: scf.for {{.*}} = %arg2 to %[[END]]
// CHECK: arith.minsi
// CHECK: vector.load %arg0{{.*}} vector<8xf32>
// CHECK: vector.store {{.*}} %arg1
task.kernel @equal_shapes_are_one_row(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.unary abs %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  task.return %0 : tensor<3x5xf32>
}

// -----

// Booleans and narrow floats are stored as integers.
// CHECK-LABEL: @narrow_types_are_bytes
// CHECK-SAME: memref<4xi16>, %arg1: memref<4xi8>
task.kernel @narrow_types_are_bytes(%x: tensor<4xbf16>) -> tensor<4xi1> {
  %0 = graph.unary is_nan %x : (tensor<4xbf16>) -> tensor<4xi1>
  task.return %0 : tensor<4xi1>
}

// -----

// Padding along lanes is masked; padding along rows shortens the loop.
// CHECK-LABEL: @padding_masks_lanes_and_cuts_rows
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: vector.maskedload
// CHECK: math.fma
task.kernel @padding_masks_lanes_and_cuts_rows(%x: tensor<1x1x8x8xf32>, %w: tensor<1x1x3x3xf32>)
    -> tensor<1x1x8x8xf32> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<1x1x8x8xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x8x8xf32>
  task.return %0 : tensor<1x1x8x8xf32>
}

// -----

// Planar memory ends before the lanes of the last block. The code does not read these lanes and
// sets them to 0.
// CHECK-LABEL: @last_block_of_channels_is_not_read_beyond_the_end
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<8xindex>
// CHECK: vector.gather %arg0{{.*}}, %[[INSIDE]], %{{.*}}
task.kernel @last_block_of_channels_is_not_read_beyond_the_end(%x: tensor<1x11x2x2xf32>)
    -> tensor<1x11x2x2xf32, #graph.blocked<c = 8>> {
  %0 = graph.reorder %x : (tensor<1x11x2x2xf32>) -> tensor<1x11x2x2xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x11x2x2xf32, #graph.blocked<c = 8>>
}

// -----

// The code converts planes to blocks of four channels with lanes along pixels: it shifts one byte
// of each plane to its position in a lane. The last vector of a row overlaps the previous one.
// CHECK-LABEL: @planes_are_interleaved
// CHECK-SAME: range = 5 : i64
// CHECK: arith.minsi
// CHECK-COUNT-3: vector.load %arg0{{.*}} : memref<150xi8>, vector<8xi8>
// CHECK-NOT: vector.load
// CHECK: vector.bitcast {{.*}} : vector<8xi32> to vector<32xi8>
// CHECK: vector.store {{.*}} : memref<200xi8>, vector<32xi8>
// MICRO-LABEL: @planes_are_interleaved
// MICRO-NOT: vector.bitcast
// MICRO: return
task.kernel @planes_are_interleaved(%x: tensor<1x3x5x10xui8>) -> tensor<1x3x5x10xui8, #graph.blocked<c = 4>> {
  %0 = graph.reorder %x : (tensor<1x3x5x10xui8>) -> tensor<1x3x5x10xui8, #graph.blocked<c = 4>>
  task.return %0 : tensor<1x3x5x10xui8, #graph.blocked<c = 4>>
}

// -----

// A planar operand has no element for the fourth lane of a block of three channels, so a mask
// excludes the lane. Without the mask, the code reads beyond the end of the operand.
// CHECK-LABEL: @planar_operand_of_partial_block
// CHECK: arith.cmpi ult
// CHECK: vector.gather %arg0{{.*}} : memref<150xf32>
// CHECK: vector.store {{.*}} : memref<200xi16>, vector<4xi16>
task.kernel @planar_operand_of_partial_block(%x: tensor<1x3x5x10xf32>)
    -> tensor<1x3x5x10xi16, #graph.blocked<c = 4>> {
  %scale = graph.constant dense<0.5> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i16>
  %0 = graph.quantize_linear %x, %scale, %zero {to = i16, axis = 1 : i64}
    : (tensor<1x3x5x10xf32>, tensor<f32>, tensor<i16>) -> tensor<1x3x5x10xi16, #graph.blocked<c = 4>>
  task.return %0 : tensor<1x3x5x10xi16, #graph.blocked<c = 4>>
}

// -----

// A constant exponent of 3 becomes two products; erf(x / c) multiplies by 1 / c.
// CHECK-LABEL: task.kernel @cube_and_erf
// CHECK-NOT: math.powf
// CHECK-NOT: arith.divf
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: math.erf
task.kernel @cube_and_erf(%x: tensor<64xf32>) -> tensor<64xf32> {
  %three = graph.constant dense<3.0> : tensor<f32>
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %0 = graph.binary pow %x, %three : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = graph.binary div %0, %root : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = graph.unary erf %1 : (tensor<64xf32>) -> tensor<64xf32>
  task.return %2 : tensor<64xf32>
}

// -----

// Two readers share the sum: the kernel contains one loop over the depth.
// CHECK-LABEL: task.kernel @shared_sum_is_computed_once
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: iter_args
// CHECK: math.absf
// CHECK-NOT: iter_args
// CHECK: return
task.kernel @shared_sum_is_computed_once(%x: tensor<5x7xf32>, %y: tensor<7x16xf32>) -> tensor<5x16xf32> {
  %0 = graph.matmul %x, %y : (tensor<5x7xf32>, tensor<7x16xf32>) -> tensor<5x16xf32>
  %1 = graph.unary abs %0 : (tensor<5x16xf32>) -> tensor<5x16xf32>
  %2 = graph.binary mul %0, %1 : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
  task.return %2 : tensor<5x16xf32>
}

// -----

// A block that is not a vector has a loop over its channels.
// CHECK-LABEL: @one_block_of_many_channels_is_no_vector
// CHECK-SAME: range = 2 : i64
// CHECK-NOT: vector<24
// CHECK: scf.for %{{.*}} = %{{.*}} to %c3
// CHECK: scf.for %{{.*}} = %{{.*}} to %c24
// CHECK-NOT: vector<24
// CHECK: memref.store %{{.*}}, %arg1
task.kernel @one_block_of_many_channels_is_no_vector(%x: tensor<1x24x2x3xi8>)
    -> tensor<1x24x2x3xi8, #graph.blocked<c = 24>> {
  %0 = graph.reorder %x : (tensor<1x24x2x3xi8>) -> tensor<1x24x2x3xi8, #graph.blocked<c = 24>>
  task.return %0 : tensor<1x24x2x3xi8, #graph.blocked<c = 24>>
}

// -----

// A product of f32 may overflow before a factor of 0, so it is computed in f64 like a sum.
// CHECK-LABEL: @product_in_f64
// CHECK: arith.extf {{.*}} to f64
// CHECK: arith.mulf {{.*}} : f64
// CHECK: arith.truncf {{.*}} to f32
task.kernel @product_in_f64(%x: tensor<40xf32>) -> tensor<f32> {
  %0 = graph.reduce prod %x {keepDims = false} : (tensor<40xf32>) -> tensor<f32>
  task.return %0 : tensor<f32>
}

// -----

// Planes become blocks of channels in tiles that are transposed in registers: 8 loads, 3 rounds of
// 8 shuffles, 8 stores. The last block has three channels, so its code loads three rows.
// CHECK-LABEL: @reorder_transposes_tiles
// CHECK-NOT: vector.gather
// CHECK: scf.if
// CHECK-COUNT-3: vector.load %arg0{{.*}} vector<8xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store %{{.*}}, %arg1
// CHECK: } else {
// CHECK-COUNT-8: vector.load %arg0
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store %{{.*}}, %arg1
// MICRO-LABEL: @reorder_transposes_tiles
// MICRO-NOT: vector.shuffle
// MICRO: return
task.kernel @reorder_transposes_tiles(%x: tensor<1x11x5x5xf32>) -> tensor<1x11x5x5xf32, #graph.blocked<c = 8>> {
  %0 = graph.reorder %x : (tensor<1x11x5x5xf32>) -> tensor<1x11x5x5xf32, #graph.blocked<c = 8>>
  task.return %0 : tensor<1x11x5x5xf32, #graph.blocked<c = 8>>
}

// -----

// The back direction stores only the three channels that exist.
// CHECK-LABEL: @reorder_back_stores_whole_channels
// CHECK-COUNT-8: vector.load %arg0
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-3: vector.store %{{.*}}, %arg1
// CHECK-NOT: vector.store
// CHECK: return
task.kernel @reorder_back_stores_whole_channels(%x: tensor<1x3x5x5xf32, #graph.blocked<c = 8>>) -> tensor<1x3x5x5xf32> {
  %0 = graph.reorder %x : (tensor<1x3x5x5xf32, #graph.blocked<c = 8>>) -> tensor<1x3x5x5xf32>
  task.return %0 : tensor<1x3x5x5xf32>
}

// -----

// Swapped dimensions are a transposed matrix for each index of the dimensions before them.
// CHECK-LABEL: @transpose_of_matrices_transposes_tiles
// CHECK-NOT: vector.gather
// CHECK-COUNT-8: vector.load %arg0
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store %{{.*}}, %arg1
// CHECK: return
task.kernel @transpose_of_matrices_transposes_tiles(%x: tensor<2x12x3x4xf32>) -> tensor<2x3x4x12xf32> {
  %0 = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x12x3x4xf32>) -> tensor<2x3x4x12xf32>
  task.return %0 : tensor<2x3x4x12xf32>
}

// -----

// The pads are shorter than the dimension, so an index is mirrored without a division.
// CHECK-LABEL: @short_reflection_needs_no_division
// CHECK-NOT: arith.remui
// CHECK: vector.gather
// CHECK-NOT: arith.remui
// CHECK: return
task.kernel @short_reflection_needs_no_division(%x: tensor<3x8xf32>) -> tensor<3x12xf32> {
  %pads = graph.constant dense<[0, 2, 0, 2]> : tensor<4xi64>
  %0 = graph.pad %x, %pads {mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<3x8xf32>, tensor<4xi64>) -> tensor<3x12xf32>
  task.return %0 : tensor<3x12xf32>
}

// -----

// The second gather waits for the first, so a step computes four vectors of independent chains.
// CHECK-LABEL: @chains_of_gathers_run_side_by_side
// CHECK-COUNT-2: vector.gather {{.*}} into vector<32xi32>
// CHECK: return
// MICRO-LABEL: @chains_of_gathers_run_side_by_side
// MICRO-COUNT-2: vector.gather {{.*}} into vector<4xi32>
// MICRO: return
task.kernel @chains_of_gathers_run_side_by_side(%t: tensor<64xi32>, %x: tensor<3x50xi32>) -> tensor<3x50xi32> {
  %0 = graph.gather %t, %x {axis = 0 : i64} : (tensor<64xi32>, tensor<3x50xi32>) -> tensor<3x50xi32>
  %1 = graph.binary add %0, %x : (tensor<3x50xi32>, tensor<3x50xi32>) -> tensor<3x50xi32>
  %2 = graph.gather %t, %1 {axis = 0 : i64} : (tensor<64xi32>, tensor<3x50xi32>) -> tensor<3x50xi32>
  task.return %2 : tensor<3x50xi32>
}

// -----

// CHECK-LABEL: @one_gather_has_one_vector
// CHECK: vector.gather {{.*}} into vector<8xi32>
task.kernel @one_gather_has_one_vector(%t: tensor<64xi32>, %x: tensor<3x50xi32>) -> tensor<3x50xi32> {
  %0 = graph.gather %t, %x {axis = 0 : i64} : (tensor<64xi32>, tensor<3x50xi32>) -> tensor<3x50xi32>
  task.return %0 : tensor<3x50xi32>
}

// -----

// The lanes read one short row of %x at a time, which code generation may keep in registers.
// CHECK-LABEL: @elements_of_a_row_have_an_extent
// CHECK: vector.gather %arg0[%{{.*}}] {{.*}} {kernel.extent = 20 : i64}
// CHECK-LABEL: @elements_of_a_long_row_have_none
// CHECK-NOT: kernel.extent
task.kernel @elements_of_a_row_have_an_extent(%x: tensor<6x20xf32>, %i: tensor<6x16xi32>) -> tensor<6x16xf32> {
  %0 = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<6x20xf32>, tensor<6x16xi32>) -> tensor<6x16xf32>
  task.return %0 : tensor<6x16xf32>
}

task.kernel @elements_of_a_long_row_have_none(%x: tensor<6x200xf32>, %i: tensor<6x16xi32>) -> tensor<6x16xf32> {
  %0 = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<6x200xf32>, tensor<6x16xi32>) -> tensor<6x16xf32>
  task.return %0 : tensor<6x16xf32>
}
