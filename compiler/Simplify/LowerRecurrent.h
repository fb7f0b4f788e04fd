// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers recurrent layers to graph.scan for convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// Builds the results of an rnn, gru or lstm of static shape before the op. Returns
/// nullopt for any other op and for dynamic shapes.
std::optional<llvm::SmallVector<mlir::Value>> lowerRecurrent(graph::TypedBuilder &b,
                                                             mlir::Operation *op);

} // namespace convoy::simplify
