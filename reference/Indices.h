// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked access through tensors of indices, for gathers and scatters.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

/// Returns element i of `indices` as a position in a dimension of size `dim`;
/// negative indices count from the end. Emits an error and returns nullopt if
/// the index is out of range.
std::optional<int64_t> elementIndex(Evaluation &e, const Tensor &indices, int64_t i, int64_t dim);

/// Returns the offset that the index tuple in row `tuple` of `indices`
/// addresses. The tuple indexes the leading dimensions of `dims`. Emits an
/// error and returns nullopt if the tuple is out of range.
std::optional<int64_t> tupleOffset(Evaluation &e, const Tensor &indices, int64_t tuple,
                                   llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> strides);

/// Returns the offset of an index without its component along `axis`.
int64_t offsetBeside(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides, int64_t axis);

} // namespace convoy::reference
