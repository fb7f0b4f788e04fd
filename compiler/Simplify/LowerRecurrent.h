// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers as graph.scan, for convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// The results of an rnn, gru or lstm of static shape, built in front of it; or
/// nothing when the op is none of them or open in shape.
std::optional<llvm::SmallVector<mlir::Value>> lowerRecurrent(graph::TypedBuilder &b,
                                                             mlir::Operation *op);

} // namespace convoy::simplify
