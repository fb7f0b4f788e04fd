// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests whether two sets of times differ significantly, with the Mann-Whitney U test. It
// compares only the order of values, because the long tails of times would distort a t-test.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace convoy::tuning {

/// Returns the two-sided probability that two samples of the same distribution differ in order
/// at least as much as these. Returns 1 if one sample is empty. The result is exact for few
/// values without ties.
double mannWhitney(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

} // namespace convoy::tuning
