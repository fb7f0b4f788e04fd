// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far two values of one op may lie apart, and how far they do. Unlike the
// rules of CheckRule.h, which judge outputs of whole models, these tell rounding
// from a wrong op.

#pragma once

#include "mlir/IR/Operation.h"
#include "reference/Datum.h"
#include <string>

namespace convoy::check {

using reference::Datum;

/// An element may differ from the expected e by relative * size, where size is
/// the larger of |e| and the root mean square of all expected elements, plus, for
/// floats narrower than f32, so many units in the last place of size: sums that
/// cancel are as wrong as their terms. Integers of at most 16 bits may differ by
/// `steps`.
struct ErrorBound {
  double relative;
  double ulps;
  int64_t steps;
  /// Of floats, beyond the rest.
  double absolute = 0;
};

/// For values behind many ops that round differently, as after a rewrite: large
/// against f32 rounding of deep models, small against any wrong element.
constexpr ErrorBound kWholeGraphBound{1e-4, 8, 1};

/// For one kernel on equal inputs: 1e-5 x sqrt(K) for sums of K terms, 2 ulp of
/// narrow floats, equal integers. A float sum that the kernel rounds to an integer
/// may be on the other side of a half: one step, also where the integer becomes a
/// float again.
ErrorBound kernelErrorBound(mlir::Operation *kernel);

/// The number of terms in the longest sum that gives one element of the op's
/// result, or an upper bound; 1 when it sums nothing.
int64_t summedTerms(mlir::Operation *op);

struct OpError {
  bool isWrong = false;
  std::string text; // "max |a-b| 0.31 at [0, 3, 2, 1], bound 0.0002"
};

OpError opError(const Datum &actual, const Datum &expected, const ErrorBound &bound);

/// The first wrong one of several values, else the last.
OpError opError(llvm::ArrayRef<Datum> actual, llvm::ArrayRef<Datum> expected,
                const ErrorBound &bound);

} // namespace convoy::check
