// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strings of outputs that hold their indices in a table, as convoy-graph-lower-strings leaves
// them. The reference and the loaders of compiled models return the strings.

#pragma once

#include "Support/Tensor.h"

namespace convoy::graph {

/// Returns the label of each index. An index outside of the table gives an empty string.
Tensor labelsAt(const Tensor &indices, llvm::ArrayRef<std::string> labels);

} // namespace convoy::graph
