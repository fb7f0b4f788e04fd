// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two files that `convoy bench --json=FILE` wrote, for example before and after a change.
// The two measurements did not alternate, so a change of the machine between them looks like a
// change of the model; BenchModel.h compares programs within one measurement.

#pragma once

#include "timing/Statistics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::timing {

/// One measured row of a file.
struct SavedRow {
  /// The model, its target, its options in a matrix, and its threads.
  std::string model, target, options;
  int64_t threads = 1;
  std::vector<double> samplesMs;
  double peakGflops = 0; // of the machine during the measurement; 0: unknown

  std::string name() const;
};

/// Parses a file. The error names `origin`.
llvm::Expected<std::vector<SavedRow>> parseSavedRows(llvm::StringRef text, llvm::StringRef origin);

enum class Verdict { Faster, Slower, NoDifference };

/// "faster", "slower" or "no difference".
llvm::StringRef verdictText(Verdict verdict);

struct ComparedRow {
  SavedRow before, after;
  Estimate ratio; // of the medians, after / before

  /// Says that the second file is faster or slower if the 95 % interval does not contain 1.
  Verdict verdict() const;
};

struct BenchComparison {
  std::string before, after; // the files
  std::vector<ComparedRow> rows;
  std::vector<std::string> warnings;

  size_t count(Verdict verdict) const;
};

/// Pairs the rows of both files. Fails if the files have no row in common.
llvm::Expected<BenchComparison> compareBenches(const std::string &before, const std::string &after);

void printComparison(llvm::raw_ostream &os, const BenchComparison &comparison);
std::string toJson(const BenchComparison &comparison);

} // namespace convoy::timing
