// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles batches of proposals without repetition.

#include "tuning/search/Progress.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tuning {

uint64_t mixSeeds(uint64_t a, uint64_t b) {
  // The finalizer of SplitMix64, so that neighboring numbers give unrelated seeds.
  uint64_t x = a + 0x9e3779b97f4a7c15 * (b + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void Progress::mark(size_t entry) {
  isProposed[entry] = true;
  ++proposed;
}

std::vector<size_t> Progress::propose(size_t count, int64_t round) {
  engine.seed(mixSeeds(seed, static_cast<uint64_t>(round)));
  prepare();
  std::vector<size_t> batch;
  while (batch.size() < count && proposed < space.entries.size()) {
    std::optional<size_t> entry = next(batch.size());
    size_t chosen = entry && isFree(*entry) ? *entry : anyFree();
    mark(chosen);
    pending.push_back(chosen);
    batch.push_back(chosen);
  }
  return batch;
}

void Progress::restore(llvm::ArrayRef<size_t> entries) {
  for (size_t entry : entries) {
    if (isFree(entry)) {
      mark(entry);
    }
    pending.push_back(entry);
  }
}

void Progress::update(llvm::ArrayRef<Trial> news) {
  for (const Trial &trial : news) {
    if (trial.entry >= space.entries.size()) {
      continue;
    }
    if (isFree(trial.entry)) {
      mark(trial.entry);
    }
    llvm::erase(pending, trial.entry);
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
