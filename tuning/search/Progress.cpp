// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles batches of proposals without repetition.

#include "tuning/search/Progress.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tuning {

std::vector<size_t> Progress::propose(size_t count) {
  prepare();
  std::vector<size_t> batch;
  while (batch.size() < count && proposed < space.entries.size()) {
    std::optional<size_t> entry = next(batch.size());
    size_t chosen = entry && isFree(*entry) ? *entry : anyFree();
    isProposed[chosen] = true;
    ++proposed;
    batch.push_back(chosen);
  }
  return batch;
}

void Progress::update(llvm::ArrayRef<Trial> news) {
  for (const Trial &trial : news) {
    if (trial.entry >= space.entries.size()) {
      continue;
    }
    if (isFree(trial.entry)) {
      isProposed[trial.entry] = true;
      ++proposed;
    }
    trials.push_back(trial);
    if (trial.seconds) {
      ranked.push_back(trial);
    }
  }
  llvm::sort(ranked, [](const Trial &a, const Trial &b) {
    return std::tuple(*a.seconds, a.entry) < std::tuple(*b.seconds, b.entry);
  });
}

size_t Progress::anyFree() {
  size_t left = below(space.entries.size() - proposed);
  for (size_t i = 0;; ++i) {
    if (isFree(i) && left-- == 0) {
      return i;
    }
  }
}

} // namespace convoy::tuning
