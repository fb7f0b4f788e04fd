// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common base of all searchers: the proposed entries, their results, and a random number
// generator that is the same on every machine.

#pragma once

#include "tuning/search/Searcher.h"
#include <random>

namespace convoy::tuning {

class Progress : public Searcher {
public:
  Progress(const TaskSpace &space, uint64_t seed)
      : space(space), isProposed(space.entries.size(), false), seed(seed) {}

  std::vector<size_t> propose(size_t count, int64_t round) override;
  void restore(llvm::ArrayRef<size_t> entries) override;
  void update(llvm::ArrayRef<Trial> trials) override;

protected:
  /// Returns an entry that was not proposed, for position `place` of a batch. nullopt requests
  /// a random entry. Called only if such an entry exists.
  virtual std::optional<size_t> next(size_t place) = 0;
  /// Called before each batch.
  virtual void prepare() {}

  bool isFree(size_t entry) const { return !isProposed[entry]; }
  /// Returns a random number below `bound`.
  size_t below(size_t bound) { return static_cast<size_t>(engine() % bound); }
  bool happens(double probability) {
    return static_cast<double>(engine() >> 11) * 0x1p-53 < probability;
  }
  /// Returns a random entry that was not proposed.
  size_t anyFree();

  /// Returns the number of entries that were proposed or have results.
  size_t proposedCount() const { return proposed; }

  const TaskSpace &space;
  /// The proposals without results, in order.
  std::vector<size_t> pending;
  /// The successful trials, fastest first.
  std::vector<Trial> ranked;
  std::vector<Trial> trials;

private:
  void mark(size_t entry);

  std::vector<bool> isProposed;
  size_t proposed = 0;
  uint64_t seed;
  std::mt19937_64 engine; // of a round; the C++ standard defines its sequence
};

} // namespace convoy::tuning
