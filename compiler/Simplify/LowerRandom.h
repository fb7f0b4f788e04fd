// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers random numbers to constants for convoy-graph-lower-composites.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

// More numbers than this are an error of compiled code: they would be 128 MiB of the weights.
inline constexpr int64_t kMaxDraws = int64_t(1) << 24;

/// Draws the numbers at compile time with the generator of the reference. Returns nullopt if the
/// shape is dynamic, there are more than kMaxDraws numbers, or the reference cannot draw them.
std::optional<llvm::SmallVector<mlir::Value>> lowerRandom(graph::TypedBuilder &b,
                                                          graph::RandomOp op);

} // namespace convoy::simplify
