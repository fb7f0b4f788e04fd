// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the ops of Extent.td and computes the actual shapes of outputs whose sizes depend on
// data. The reference and the loaders of compiled models call these functions after a run.

#pragma once

#include "Graph/Graph.h"

#define GET_OP_CLASSES
#include "Graph/Extent.h.inc"

namespace convoy::graph {

/// The slices of `input` along an axis, or its elements if there is no axis, and the number of
/// slices that a condition of `conditions` entries can select.
struct CompressSpan {
  int64_t outer, slices, inner, selectable;

  CompressSpan(llvm::ArrayRef<int64_t> input, std::optional<int64_t> axis, int64_t conditions);
};

/// Returns the shape of an output after a run. `dims` has one entry per dimension of `maximum`: the
/// index of its extent, or -1 if the dimension is fixed. Empty `dims` mean that all dimensions are
/// fixed. Returns nullopt if an extent is missing, negative or above the maximum.
std::optional<Shape> actualShape(llvm::ArrayRef<int64_t> maximum, llvm::ArrayRef<int32_t> dims,
                                 llvm::ArrayRef<int64_t> extents);

/// Returns the first elements of a tensor in another shape, which has at most as many elements.
Tensor firstElements(const Tensor &tensor, llvm::ArrayRef<int64_t> shape);

} // namespace convoy::graph
