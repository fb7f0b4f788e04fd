// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked access through tensors of indices, for gathers and scatters.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

/// Element i of `indices` as a position in a dimension of `dim`; negative ones
/// count from the end. Emits an error and gives nothing when out of range.
std::optional<int64_t> elementIndex(Evaluation &e, const Tensor &indices, int64_t i, int64_t dim);

/// Where the tuple in row `tuple` of `indices` points, the tuple being an index
/// into the leading ones of `dims`. Emits an error and gives nothing when it
/// points outside.
std::optional<int64_t> tupleOffset(Evaluation &e, const Tensor &indices, int64_t tuple,
                                   llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> strides);

/// The offset of an index, leaving out its part along `axis`.
int64_t offsetBeside(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides, int64_t axis);

} // namespace convoy::reference
