// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tango's score statistic of paired answers, and the bounds that invert it.

#pragma once

#include "quantizer/proof/Promise.h"

namespace convoy::quantizer {

/// Returns the score statistic (b - c - n * drop) / sqrt(variance) of the hypothesis that the true
/// drop is `drop`. The variance uses the maximum likelihood estimate of P(gained) under the
/// hypothesis. The statistic decreases with `drop`.
double pairedScore(const PairedCounts &counts, double drop);

/// Returns the largest drop whose score statistic is not below the quantile of `alpha`.
double scoreBound(const PairedCounts &counts, double alpha);

/// Returns the exact bound: the largest drop for which an outcome as extreme as `counts` has a
/// probability above `alpha`, whatever P(gained) is. Outcomes are ordered by pairedScore. The
/// time grows with the number of differing answers, not with the number of samples.
double exactBound(const PairedCounts &counts, double alpha);

} // namespace convoy::quantizer
