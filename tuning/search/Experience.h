// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training examples for the cost model from other tasks on the same target and the current
// template versions. The records file keeps the examples between runs, so the records of one model
// help to tune the next. Pruned records and records of other template versions are not used.

#pragma once

#include "tuning/cost/CostModel.h"
#include "tuning/records/Record.h"

namespace convoy::tuning {

class Experience {
public:
  /// `threads` is the number of threads of the tuned tasks. Times for other numbers of threads are
  /// not comparable.
  Experience(const SpaceOptions &options, int64_t threads) : options(options), threads(threads) {}

  /// Adds the records of a task of which only the text is known. Ignores tasks and configurations
  /// that this compiler does not know.
  void learn(const std::string &taskText, llvm::ArrayRef<Record> records);
  void learn(const std::string &taskText, const SpaceEntry &entry, double seconds);

  /// Returns the examples of all tasks except this one: the same number from each task, from its
  /// fastest to its slowest, centered. The total is limited to what the cost model learns in 0.1 s.
  std::vector<Example> examplesFor(llvm::StringRef taskText) const;

private:
  struct Timed {
    double seconds;
    Example example;
  };
  SpaceOptions options;
  int64_t threads;
  std::map<std::string, std::vector<Timed>> byTask; // fastest first
};

} // namespace convoy::tuning
