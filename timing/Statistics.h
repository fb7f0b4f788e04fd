// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that say what many noisy measurements mean.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace convoy::timing {

/// The middle one, or the mean of the two in the middle; 0 of nothing.
double median(std::vector<double> values);

/// How far apart the tenth smallest and the tenth largest of a hundred are, as a share
/// of the median; 0 of nothing.
double spread(std::vector<double> values);

/// A value and where it lies in 95 of 100 repetitions of the experiment.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

/// median(a) / median(b). Samples i of both were taken one after the other, so they
/// share the mood of the machine: the bootstrap draws them as pairs. The same samples
/// give the same interval.
Estimate ratioOfMedians(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

/// 0 of nothing.
double geometricMean(llvm::ArrayRef<double> values);

} // namespace convoy::timing
