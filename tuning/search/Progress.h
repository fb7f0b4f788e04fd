// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all searchers keep: which entries were proposed, what became of them, and a
// source of chance that is the same on every machine.

#pragma once

#include "tuning/search/Searcher.h"
#include <random>

namespace convoy::tuning {

class Progress : public Searcher {
public:
  Progress(const TaskSpace &space, uint64_t seed)
      : space(space), isProposed(space.entries.size(), false), engine(seed) {}

  std::vector<size_t> propose(size_t count) override;
  void update(llvm::ArrayRef<Trial> trials) override;

protected:
  /// One more entry that was not proposed, for a batch that has `place` already; nullopt
  /// leaves the choice to chance. Called only while there is one.
  virtual std::optional<size_t> next(size_t place) = 0;
  /// Before a batch.
  virtual void prepare() {}

  bool isFree(size_t entry) const { return !isProposed[entry]; }
  /// A number below `bound`.
  size_t below(size_t bound) { return static_cast<size_t>(engine() % bound); }
  bool happens(double probability) {
    return static_cast<double>(engine() >> 11) * 0x1p-53 < probability;
  }
  /// Any entry that was not proposed.
  size_t anyFree();

  const TaskSpace &space;
  /// Fastest first; those that failed are left out.
  std::vector<Trial> ranked;
  std::vector<Trial> trials;

private:
  std::vector<bool> isProposed;
  size_t proposed = 0;
  std::mt19937_64 engine; // its sequence is fixed by the standard
};

} // namespace convoy::tuning
