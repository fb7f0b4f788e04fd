// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the equation of graph.einsum.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::graph {

/// A parsed equation: `ab,bc->ac` is {{"ab", "bc"}, "ac"}. Each character is a
/// label.
struct EinsumEquation {
  llvm::SmallVector<llvm::StringRef> inputs;
  llvm::StringRef output;

  /// Parses an explicit equation without spaces. The terms are views of `text`.
  static EinsumEquation parse(llvm::StringRef text) {
    EinsumEquation result;
    auto [inputs, output] = text.split("->");
    inputs.split(result.inputs, ',');
    result.output = output;
    return result;
  }
};

} // namespace convoy::graph
