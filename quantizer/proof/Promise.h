// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The upper bound of the accuracy that a quantized model loses. docs/decisions/0023 explains the
// statistics.

#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>

namespace convoy::quantizer {

/// Paired answers of two models on n samples.
struct PairedCounts {
  int64_t samples = 0;
  int64_t lost = 0;   // b: the float model is right, the quantized model is wrong
  int64_t gained = 0; // c: the reverse

  double drop() const { return samples ? static_cast<double>(lost - gained) / samples : 0; }
};

/// The error of all proofs on the same data together.
constexpr double kPromiseAlpha = 0.05;

/// Returns the one-sided upper bound of the drop (b - c) / n with confidence 1 - alpha: Tango's
/// paired score interval. If b + c < 10, the larger of it and the exact bound. Without samples, the
/// bound is 1. Requires 0 < alpha < 1.
double dropBound(const PairedCounts &counts, double alpha);

/// Returns the number of samples that prove `limit` with 80 % power for the observed drop and share
/// of differing answers; 0: no number does, because the drop is not below the limit or there are no
/// samples.
int64_t samplesFor(const PairedCounts &counts, double limit, double alpha);

/// Returns the one-sided upper bound of a share by Clopper and Pearson.
double shareBound(int64_t successes, int64_t samples, double alpha);

/// Counts the proofs on a data set across runs. The file is JSON; its key is a hash of the float
/// model, the proof samples and the target. Several processes may use one file: each call locks it,
/// reads it again and replaces it as a whole.
class Ledger {
public:
  /// Opens the ledger in a file, which may not exist yet. A file that is not a ledger is an error.
  static llvm::Expected<Ledger> open(const std::string &path);

  /// Returns whether the ledger has an entry for the data.
  llvm::Expected<bool> knows(const std::string &dataHash) const;

  /// Returns the error that begin() would return for these attempts, and writes nothing.
  llvm::Error check(const std::string &dataHash, int64_t attempts) const;

  /// Declares a proof before it is evaluated and writes the file. `attempts` is the number of
  /// attempts that were declared for the data; the first proof fixes it. Returns the alpha of the
  /// proof, or an error if no attempt is left or `attempts` differs from the declared number. A
  /// proof without a result counts as an attempt too.
  llvm::Expected<double> begin(const std::string &dataHash, int64_t attempts,
                               const std::string &description);

  /// Records the result of the last proof on the data that this object has begun.
  llvm::Error finish(const std::string &dataHash, const PairedCounts &counts, double bound);

private:
  explicit Ledger(std::string path) : path(std::move(path)) {}

  std::string path;
  /// The number of the last proof by the hash of the data.
  std::map<std::string, size_t> begun;
};

} // namespace convoy::quantizer
