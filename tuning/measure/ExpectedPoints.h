// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the elements of a result that a measurer compares before it accepts a candidate, and
// writes their expected values to a file. The selection contains all edges, because errors of
// kernels are most frequent there, and random elements inside; of small results, all elements.

#pragma once

#include "Support/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace convoy::tuning {

constexpr int64_t kRandomPoints = 4096;

/// Returns ascending row-major indices of all elements that are first or last in a dimension
/// of more than one element, and of `randomPoints` random elements. If the result has at most eight
/// times as many elements, returns the indices of all elements.
std::vector<int64_t> pointsToCheck(llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                   int64_t randomPoints = kRandomPoints);

/// The permitted error of an element.
struct PointTolerance {
  /// Of floats: relative to the larger of the element's magnitude and the root mean square of all
  /// elements, because a sum whose terms cancel keeps the error of its terms.
  double relative = 0;
  int64_t steps = 0; ///< Of integers: 0 if the kernel computes in integers only.
};

/// Writes the expected points of `result`, which is in row-major order. The file starts with the
/// element type as ONNX numbers it. NaN has no point. `place` converts a row-major index to an
/// index in memory.
llvm::Error writeExpectedPoints(llvm::StringRef path, const Tensor &result,
                                llvm::ArrayRef<int64_t> points, const PointTolerance &tolerance,
                                llvm::function_ref<int64_t(int64_t)> place);

/// Compares a result in memory with the expected points of a file. Returns the first element that
/// differs as text, or an empty text. convoy-measure, which does not link LLVM, has its own.
llvm::Expected<std::string> compareWithPoints(llvm::StringRef path, llvm::StringRef result);

} // namespace convoy::tuning
