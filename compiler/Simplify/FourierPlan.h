// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a Fourier transform of constant length, and chooses how to compute it by cost.
// LowerFourier.cpp builds the ops of a plan.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace convoy::simplify {

/// A transform of `lines` independent signals: lines x given x parts -> lines x bins x results.
struct FourierProblem {
  int64_t lines;
  int64_t length; // a signal shorter than `length` is padded with zeros
  int64_t given;  // elements of the input that the transform reads
  int64_t parts;  // 1: real input, 2: complex input
  int64_t bins;
  int64_t results; // 1: real result, 2: complex result
  bool isInverse;
  bool isHalfSpectrum; // the input is one half of a spectrum, the other half is its conjugate
};

/// How to compute a transform.
struct FourierPlan {
  /// The factors of the length, first the factor of the most distant elements. One factor is a
  /// product with one matrix.
  llvm::SmallVector<int64_t> factors;
  /// The length of the transforms of Bluestein's method, or 0. The method needs no factors.
  int64_t padded = 0;
  double cost = 0; // in multiply-adds per line
};

/// Returns the cheapest plan, or nullopt if each plan needs too large a matrix.
std::optional<FourierPlan> planFourier(const FourierProblem &problem);

/// Returns the first transform of Bluestein's method: of the padded signal times the chirp.
FourierProblem forwardProblem(const FourierProblem &problem, int64_t padded);
/// Returns the second transform of Bluestein's method: of the product with the chirp's spectrum.
FourierProblem backwardProblem(const FourierProblem &problem, int64_t padded);
/// Returns the cheapest plan of at least two factors, or nullopt if there is none.
std::optional<FourierPlan> planFactors(const FourierProblem &problem);

/// Returns the transforms of the last factor that the bins require. Bin k has the digits k mod r0,
/// k / r0 mod r1, ... of the factors.
int64_t lastBins(const FourierProblem &problem, llvm::ArrayRef<int64_t> factors);

} // namespace convoy::simplify
