// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the elements of a result that the measuring process compares before it accepts a
// candidate, and writes their expected values to a file. The selection contains all edges,
// because errors of kernels are most frequent there, and random elements inside.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace convoy::tuning {

constexpr int64_t kRandomPoints = 4096;

/// Returns ascending row-major indices of all elements that are first or last in a dimension
/// of more than one element, and of `randomPoints` random elements.
std::vector<int64_t> pointsToCheck(llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                   int64_t randomPoints = kRandomPoints);

/// Writes the expected points of `values`, a result in row-major order. The permitted error of
/// an element is `relative` times the larger of its magnitude and the root mean square of all
/// elements, because a sum whose terms cancel keeps the error of its terms. `place` converts a
/// row-major index to an index in memory.
llvm::Error writeExpectedPoints(llvm::StringRef path, llvm::ArrayRef<double> values,
                                llvm::ArrayRef<int64_t> points, double relative,
                                llvm::function_ref<int64_t(int64_t)> place);

} // namespace convoy::tuning
