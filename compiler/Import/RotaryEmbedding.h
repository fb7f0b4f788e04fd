// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph form of rotary embeddings, which RotaryEmbedding and GroupQueryAttention share.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

/// How the heads of a tensor are rotated.
struct RotaryForm {
  int64_t headAxis = 1;       // 1: B x H x S x D, 2: B x S x H x D
  int64_t rotated = 0;        // the first elements of each head, an even number
  bool isInterleaved = false; // the two elements of a pair are adjacent, not half a head apart
  mlir::Value cos, sin;       // B x S x rotated / 2, or 1 x S x rotated / 2
};

/// Checks that `rotated` is even and at most the head size.
mlir::LogicalResult checkRotated(NodeContext &n, int64_t rotated, int64_t headSize);

/// Rotates the heads of `x`, which has rank 4 and a static head size.
mlir::Value rotateHeads(NodeContext &n, mlir::Value x, const RotaryForm &form);

} // namespace convoy::import
