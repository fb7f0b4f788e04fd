// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph forms of normalizations, which the import rows share.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

/// Returns the type for statistics. A sum of 16-bit floats loses too much
/// precision.
ElementType statisticsType(ElementType type);

llvm::SmallVector<int64_t> axesFrom(int64_t first, int64_t rank);

/// Reshapes `x` to the shape of `like`, which has the same number of elements.
mlir::Value reshapeLike(NodeContext &n, mlir::Value x, mlir::Value like);

/// Applies `body(x, axis)` along an axis. If `flattens`, all dimensions from the axis on count as
/// one dimension.
mlir::FailureOr<mlir::Value> alongAxis(NodeContext &n, mlir::Value x, int64_t axis, bool flattens,
                                       llvm::function_ref<mlir::Value(mlir::Value, int64_t)> body);

/// The values that a normalization over `axes` computes. Every value keeps its
/// rank.
struct Statistics {
  mlir::Value mean;
  mlir::Value centered;
  mlir::Value inverseDeviation;
};

Statistics statisticsOf(NodeContext &n, mlir::Value x, llvm::ArrayRef<int64_t> axes,
                        double epsilon);

/// A normalization over trailing axes, and the type in which it computes.
struct TrailingNorm {
  llvm::SmallVector<int64_t> axes;
  ElementType stash;
  double epsilon;
};

/// Returns the normalized tensor, the mean and the inverse deviation. `bias` may be null.
llvm::SmallVector<mlir::Value> normalizeLayer(NodeContext &n, mlir::Value x, mlir::Value scale,
                                              mlir::Value bias, const TrailingNorm &norm);

/// Returns the tensor divided by the root of its mean square, and on request the inverse root.
llvm::SmallVector<mlir::Value> normalizeRms(NodeContext &n, mlir::Value x, mlir::Value scale,
                                            const TrailingNorm &norm, bool hasInverse);

} // namespace convoy::import
