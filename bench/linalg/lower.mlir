// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a tiled convolution to loops with vectors: vectorizes, keeps the accumulators in registers over
// the loops of the sum, bufferizes without a temporary buffer, and lowers the contraction to FMAs.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower(%module: !transform.any_op {transform.consumed}) {
    %tiled = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %tiled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %tiled
      : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %vectors : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %vectors : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %loops : !transform.any_op
    transform.apply_patterns to %vectors { transform.apply_patterns.canonicalization } : !transform.any_op
    transform.bufferization.eliminate_empty_tensors %vectors : !transform.any_op
    %buffers = transform.bufferization.one_shot_bufferize %module : (!transform.any_op) -> !transform.any_op
    %function = transform.structured.match ops{["func.func"]} in %buffers : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    transform.apply_patterns to %function { transform.apply_patterns.canonicalization } : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
    } : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.lower_broadcast
      transform.apply_patterns.vector.lower_transpose lowering_strategy = "shuffle_1d"
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
