// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equation of graph.einsum, taken apart.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::graph {

/// `ab,bc->ac` as {{"ab", "bc"}, "ac"}. Each character is a label.
struct EinsumEquation {
  llvm::SmallVector<llvm::StringRef> inputs;
  llvm::StringRef output;

  /// Views of `text`, which is an explicit equation without spaces.
  static EinsumEquation parse(llvm::StringRef text) {
    EinsumEquation result;
    auto [inputs, output] = text.split("->");
    inputs.split(result.inputs, ',');
    result.output = output;
    return result;
  }
};

} // namespace convoy::graph
