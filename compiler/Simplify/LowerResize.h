// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.resize to gathers and sums for convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// Builds the result of a resize of static shape before the op. Returns nullopt if
/// its scales, or sizes that keep an aspect ratio, are known only at run time.
std::optional<llvm::SmallVector<mlir::Value>> lowerResize(graph::TypedBuilder &b,
                                                          graph::ResizeOp op);

} // namespace convoy::simplify
