// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the values of one op and distinguishes rounding from a wrong op. The location of
// faults uses it. CheckRule.h judges outputs of whole models.

#pragma once

#include "mlir/IR/Operation.h"
#include "reference/Datum.h"
#include <string>

namespace convoy::check {

using reference::Datum;

/// The permitted error of an element. For an expected value e, let size be the larger of |e|
/// and the root mean square of all expected elements. A float may differ by `absolute` +
/// `relative` * size. A float narrower than f32 may also differ by `ulps` units in the last
/// place of size, because a sum whose terms cancel keeps the error of its terms. An integer of
/// at most 16 bits may differ by `steps`. Wider integers must be equal.
struct ErrorBound {
  double relative;
  double ulps;
  int64_t steps;
  double absolute = 0;
};

/// For values after many ops that round differently, for example after a rewrite. It is large
/// compared with the f32 rounding of deep models and small compared with a wrong element.
constexpr ErrorBound kWholeGraphBound{1e-4, 8, 1};

/// Returns the bound for one kernel on equal inputs: 1e-5 x sqrt(K) for sums of K terms, 2 ulp
/// for narrow floats, equal integers. If the kernel rounds a float sum to an integer, the
/// integer may differ by one step, because a sum near a tie can round either way. The bound
/// includes this step if the kernel converts the integer back to a float.
ErrorBound kernelErrorBound(mlir::Operation *kernel);

/// Returns the number of terms in the longest sum of the op, or an upper bound. Returns 1 if
/// the op computes no sum.
int64_t summedTerms(mlir::Operation *op);

struct OpError {
  bool isWrong = false;
  std::string text; // "max |a-b| 0.31 at [0, 3, 2, 1], bound 0.0002"
};

OpError opError(const Datum &actual, const Datum &expected, const ErrorBound &bound);

/// Returns the error of the first wrong value, else of the last value.
OpError opError(llvm::ArrayRef<Datum> actual, llvm::ArrayRef<Datum> expected,
                const ErrorBound &bound);

} // namespace convoy::check
