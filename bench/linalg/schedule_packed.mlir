// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles conv_packed.mlir like schedule.mlir. The generic op has a step of one row and column of the
// filter, so that lower.mlir can remove both dimensions; the op is then a matrix product.
module attributes {transform.with_named_sequence} {
  transform.named_sequence private @lower(!transform.any_op {transform.consumed})
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %conv = transform.structured.match ops{["linalg.generic"]} in %module
      : (!transform.any_op) -> !transform.any_op
    %tile, %loops:3 = transform.structured.fuse %conv {tile_sizes = [1, 1, PIXELS], tile_interchange = [0, 1, 2, 3]}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %step, %sums:3 = transform.structured.tile_using_for %tile tile_sizes [0, 0, 0, 0, 1, 1, DEPTH]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !transform.any_op
    transform.include @lower failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.yield
  }
}
