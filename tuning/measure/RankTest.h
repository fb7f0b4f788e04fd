// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two sets of times differ by more than chance: the test of Mann and Whitney,
// which asks only which is smaller. Times have long tails that a t-test would believe.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace convoy::tuning {

/// The probability that two samples of the same distribution are ordered as unequally
/// as these, either way; 1 when one is empty. Exact for few values without ties.
double mannWhitney(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

} // namespace convoy::tuning
