// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graph.resize as gathers and sums, for convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// The result of a resize of static shape, built in front of it; or nothing when
/// its scales, or sizes that keep an aspect ratio, are known only at run time.
std::optional<llvm::SmallVector<mlir::Value>> lowerResize(graph::TypedBuilder &b,
                                                          graph::ResizeOp op);

} // namespace convoy::simplify
