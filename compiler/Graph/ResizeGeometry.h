// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of graph.resize along one axis, in one place: the type rule
// takes sizes from it, the reference and kernels take sample positions and
// weights.
//
// A resize is separable: along each axis, result position x is a weighted sum
// of a few input positions ("taps"), whatever the other axes do.

#pragma once

#include "Graph/Graph.h"
#include "Support/Tensor.h"

namespace convoy::graph {

/// One resized axis.
struct ResizeAxis {
  int64_t inputSize = 1;
  int64_t outputSize = 1;
  /// Result positions per input position: what the operand says, not
  /// outputSize / inputSize, which rounding may have changed.
  double scale = 1;
  /// The region that tf_crop_and_resize maps from, normalised.
  double roiBegin = 0;
  double roiEnd = 1;
};

/// The values of a resize's operands; null where absent or not needed. A result of
/// known shape needs `sizes` only to keep an aspect ratio, and `roi` only for
/// tf_crop_and_resize.
struct ResizeOperands {
  const Tensor *roi = nullptr;
  const Tensor *scales = nullptr;
  const Tensor *sizes = nullptr;
};

/// All resized axes, in the order of the op's `axes`.
llvm::SmallVector<ResizeAxis> resizeAxes(ResizeOp op, llvm::ArrayRef<int64_t> input,
                                         llvm::ArrayRef<int64_t> result,
                                         const ResizeOperands &operands);

/// The size a scale gives, or nothing when it is not positive or leaves 2^48.
/// ONNX multiplies in f32, and so do we: 3 * (7 / 3 as f32) must be 7.
std::optional<int64_t> resizedSize(int64_t inputSize, float scale);

/// The common scale that keeps the aspect ratio under a policy other than
/// stretch. All sizes are known and positive.
double aspectScale(AspectPolicy policy, llvm::ArrayRef<int64_t> inputSizes,
                   llvm::ArrayRef<int64_t> sizes);

/// The size that aspectScale gives: rounded, halves up.
int64_t aspectSize(int64_t inputSize, double scale);

/// An input position and its weight.
struct Tap {
  int64_t index;
  double weight;
};

/// The taps of result position x; weights sum to 1. Empty when the position lies
/// outside and gets the extrapolation value.
llvm::SmallVector<Tap, 4> resizeTaps(ResizeOp op, const ResizeAxis &axis, int64_t x);

/// Keys' cubic kernel with parameter `a`, at distance `x`.
double cubicWeight(double x, double a);

} // namespace convoy::graph
