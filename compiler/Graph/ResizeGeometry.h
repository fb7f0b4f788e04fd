// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the arithmetic of graph.resize along one axis. The type rule uses it
// for sizes; the reference interpreter and the kernels use it for sample
// positions and weights.
//
// A resize is separable: along each axis, result position x is a weighted sum
// of a few input positions ("taps"), independent of the other axes.

#pragma once

#include "Graph/Graph.h"
#include "Support/Tensor.h"

namespace convoy::graph {

/// One resized axis.
struct ResizeAxis {
  int64_t inputSize = 1;
  int64_t outputSize = 1;
  /// Result positions per input position, from the operand. It may differ from
  /// outputSize / inputSize, because the output size is rounded.
  double scale = 1;
  /// The normalized input region of tf_crop_and_resize.
  double roiBegin = 0;
  double roiEnd = 1;
};

/// The values of a resize's operands; null if absent or not required. A result
/// of known shape requires `sizes` only to keep an aspect ratio, and `roi` only
/// for tf_crop_and_resize.
struct ResizeOperands {
  const Tensor *roi = nullptr;
  const Tensor *scales = nullptr;
  const Tensor *sizes = nullptr;
};

/// Returns all resized axes in the order of the op's `axes`.
llvm::SmallVector<ResizeAxis> resizeAxes(ResizeOp op, llvm::ArrayRef<int64_t> input,
                                         llvm::ArrayRef<int64_t> result,
                                         const ResizeOperands &operands);

/// Returns the size that a scale produces, or nullopt if the scale is not
/// positive or the size exceeds 2^48. Computes in f32 like ONNX: 3 * (7 / 3 as
/// f32) must be 7.
std::optional<int64_t> resizedSize(int64_t inputSize, float scale);

/// Returns the common scale that keeps the aspect ratio under a policy other
/// than stretch. All sizes must be known and positive.
double aspectScale(AspectPolicy policy, llvm::ArrayRef<int64_t> inputSizes,
                   llvm::ArrayRef<int64_t> sizes);

/// Returns the size for a scale of aspectScale, rounded half up.
int64_t aspectSize(int64_t inputSize, double scale);

/// An input position and its weight.
struct Tap {
  int64_t index;
  double weight;
};

/// The taps of one result position; the weights sum to 1. There are no taps if
/// the position is outside the input and takes the extrapolation value.
using Taps = llvm::SmallVector<Tap, 4>;

/// Returns the taps of all result positions of an axis.
std::vector<Taps> resizeTaps(ResizeOp op, const ResizeAxis &axis);

/// Returns whether each result position is the input position of the same index.
bool isIdentity(llvm::ArrayRef<Taps> table, int64_t inputSize);

/// Evaluates Keys' cubic kernel with parameter `a` at distance `x`.
double cubicWeight(double x, double a);

} // namespace convoy::graph
