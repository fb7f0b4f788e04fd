// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles conv.mlir. A tile of PIXELS x CHANNELS accumulators stays in registers; a step multiplies DEPTH
// input channels. The vectorizer supports a convolution of one dimension, so the schedule tiles the rows
// of the filter by 1 and decomposes the op. bench/linalg/run replaces the words in capitals.
module attributes {transform.with_named_sequence} {
  transform.named_sequence private @lower(!transform.any_op {transform.consumed})
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %conv = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %module
      : (!transform.any_op) -> !transform.any_op
    %tile, %loops:3 = transform.structured.fuse %conv
      {tile_sizes = [0, 1, PIXELS, CHANNELS], tile_interchange = [ORDER]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %step, %sums:3 = transform.structured.tile_using_for %tile tile_sizes [0, 0, 0, 0, 1, 1, DEPTH]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.decompose %step : (!transform.any_op) -> !transform.any_op
    transform.include @lower failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.yield
  }
}
