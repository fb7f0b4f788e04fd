// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cost model starts with: examples from other tasks on the same target, with
// the templates as they are now. Records are where they are kept between runs, so what
// one model taught helps with the next, and what was pruned, or measured with other
// templates, is forgotten.

#pragma once

#include "tuning/cost/CostModel.h"
#include "tuning/records/Record.h"

namespace convoy::tuning {

class Experience {
public:
  /// `threads` is of the tasks that are tuned: times on other numbers tell nothing of them.
  Experience(const SpaceOptions &options, int64_t threads) : options(options), threads(threads) {}

  /// Learns from the records of a task that is no longer at hand but for its text. A task
  /// or a configuration that this compiler does not know teaches nothing.
  void learn(const std::string &taskText, llvm::ArrayRef<Record> records);
  void learn(const std::string &taskText, const SpaceEntry &entry, double seconds);

  /// What all tasks but this one have taught: of each as much as of any other, from its
  /// fastest to its slowest, centred, and not more in all than a model learns in a tenth of
  /// a second.
  std::vector<Example> examplesFor(llvm::StringRef taskText) const;

private:
  struct Timed {
    double seconds;
    Example example;
  };
  SpaceOptions options;
  int64_t threads;
  std::map<std::string, std::vector<Timed>> byTask; // each fastest first
};

} // namespace convoy::tuning
