// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles conv_packed.mlir like schedule_packed.mlir, but sums in passes over PASS input channels, so that
// the weights of a pass stay in the first-level cache. Each pass loads and stores the sums.
module attributes {transform.with_named_sequence} {
  transform.named_sequence private @lower(!transform.any_op {transform.consumed})
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    %fill = transform.structured.match ops{["linalg.fill"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.structured.tile_using_for %fill tile_sizes [1, 1, 1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %conv = transform.structured.match ops{["linalg.generic"]} in %module
      : (!transform.any_op) -> !transform.any_op
    %pass, %outer:2 = transform.structured.tile_using_for %conv tile_sizes [1, 0, 0, 0, 0, 0, PASS]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %tile, %loops:2 = transform.structured.tile_using_for %pass tile_sizes [0, 1, PIXELS]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
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
