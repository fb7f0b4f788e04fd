// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples of two programs that were measured alternately, and what they say about the ratio of
// the times. TunedNetwork and the tuning service compare networks with it.

#pragma once

#include "timing/Statistics.h"
#include "tuning/measure/Measurer.h"
#include "tuning/records/Verdict.h"

namespace convoy::tuning {

/// Adds the pairs of samples that are both undisturbed. If there is none, adds all pairs: the CPU
/// times if `isSingle`, which is a program with one thread.
void addPairs(std::vector<PairedSample> &pairs, const Measurement &before, const Measurement &after,
              bool isSingle);

/// Returns after / before.
timing::Estimate ratioOf(llvm::ArrayRef<PairedSample> pairs);

/// Returns the median of one time of each pair.
double medianNs(llvm::ArrayRef<PairedSample> pairs, int64_t PairedSample::*member);

/// Returns the times of the undisturbed samples in nanoseconds of a run; of all samples if there is
/// none.
std::vector<double> timesOf(const Measurement &measurement);

} // namespace convoy::tuning
