// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a result are looked at before a candidate's time counts, and the
// file that tells the measuring process what they must be. Edges are where kernels go
// wrong, so all of them are; what is inside is tried at random.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace convoy::tuning {

constexpr int64_t kRandomPoints = 4096;

/// Indices, row-major and ascending, of all elements that are first or last in a
/// dimension of more than one, and of so many random ones.
std::vector<int64_t> pointsToCheck(llvm::ArrayRef<int64_t> shape, uint64_t seed,
                                   int64_t randomPoints = kRandomPoints);

/// Writes the points of `values`, a result in row-major order. An element may be off by
/// `relative` times the larger of itself and the root mean square of all: sums that
/// cancel are as wrong as their terms. `place` gives the element in memory of one in
/// row-major order.
llvm::Error writeExpectedPoints(llvm::StringRef path, llvm::ArrayRef<double> values,
                                llvm::ArrayRef<int64_t> points, double relative,
                                llvm::function_ref<int64_t(int64_t)> place);

} // namespace convoy::tuning
