// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph form of scaled dot-product attention, which the import rows of Attention,
// MultiHeadAttention, GroupQueryAttention and QAttention share. Queries, keys and values are
// B x H x S x D (batch, heads, sequence, head size).
//
// Grouped queries need no copies of keys and values. The query heads that share
// one key head are adjacent, so the shape
//
//     B x (G * R) x S x D   is also   B x G x (R * S) x D
//
// and one matrix product per key head covers all of its query heads.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

/// Reshapes `x`; a 0 in `shape` keeps the dimension at that position.
mlir::Value reshapeKeeping(NodeContext &n, mlir::Value x, llvm::ArrayRef<int64_t> shape);

/// Returns a static or dynamic dimension as an i64 scalar. The result is
/// unspecified after a failure.
mlir::Value dimension(NodeContext &n, mlir::Value x, int64_t axis);

/// Returns the vector 0, 1, ... up to the dimension (exclusive).
mlir::Value indicesOf(NodeContext &n, mlir::Value x, int64_t axis);

/// Inserts dimensions of size 1 at `axes` of the result.
mlir::Value unsqueeze(NodeContext &n, mlir::Value x, llvm::ArrayRef<int64_t> axes);

/// Splits B x S x (H * D) into B x H x S x D. `attribute` holds the number of heads.
mlir::FailureOr<mlir::Value> splitHeads(NodeContext &n, mlir::Value x, int64_t heads,
                                        llvm::StringRef attribute);
/// Joins B x H x S x D to B x S x (H * D).
mlir::Value joinHeads(NodeContext &n, mlir::Value x);

/// Computes limit * tanh(x / limit). Returns `x` if the limit is not positive.
mlir::Value softcap(NodeContext &n, mlir::Value x, double limit);

/// Appends the keys or values of this step to the keys or values of earlier
/// steps, which may be null.
mlir::Value appendTo(NodeContext &n, mlir::Value past, mlir::Value now);

/// The operands of one attention.
struct AttentionForm {
  mlir::Value query, key, value;
  /// Numbers of heads; 0 if unknown, which excludes grouped queries.
  int64_t queryHeads = 0;
  int64_t keyHeads = 0;
  double scale = 1;
  double cap = 0; // of the scores; not positive: none
  /// The type in which the softmax computes.
  ElementType precision = ElementType::F32;
  /// The score of a key without value, which broadcasts to B x H x S x 1; null if there is none.
  mlir::Value sink;

  bool isGrouped() const { return queryHeads > 0 && keyHeads > 0 && queryHeads != keyHeads; }
  /// Reshapes B x queryHeads x S x D to one block of rows per key head, and
  /// back.
  mlir::Value group(NodeContext &n, mlir::Value x) const;
  mlir::Value ungroup(NodeContext &n, mlir::Value x) const;
};

/// The intermediate results of an attention.
struct AttentionStages {
  mlir::Value product, capped, masked, weights, result;
};

/// Emits an attention. `mask` receives the capped scores and returns the scores with all masks
/// applied. The masks are applied after the cap: a cap applied to -inf yields a finite score, and
/// softmax would assign the masked key a weight.
AttentionStages emitAttention(NodeContext &n, const AttentionForm &form,
                              llvm::function_ref<mlir::Value(mlir::Value)> mask);

} // namespace convoy::import
