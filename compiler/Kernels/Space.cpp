// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates the points of a search space and checks their constraints. Templates declare their
// spaces; the tuner searches them.

#include "Kernels/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace convoy::kernels {

int64_t Space::size() const {
  int64_t count = 1;
  for (const Knob &knob : knobs) {
    count *= static_cast<int64_t>(knob.values.size());
  }
  return count;
}

std::string Space::whyNot(const Settings &settings) const {
  for (const Constraint &constraint : constraints) {
    if (!constraint.holds(settings)) {
      return constraint.reason;
    }
  }
  return "";
}

void Space::forEach(const std::function<void(const Settings &)> &visit) const {
  std::vector<size_t> at(knobs.size(), 0);
  for (int64_t left = size(); left > 0; --left) {
    Settings settings;
    for (auto [knob, index] : llvm::zip(knobs, at)) {
      settings.append(knob.values[index].begin(), knob.values[index].end());
    }
    visit(settings);
    for (size_t k = knobs.size(); k-- > 0;) {
      if (++at[k] < knobs[k].values.size()) {
        break;
      }
      at[k] = 0;
    }
  }
}

std::optional<ConfigChoice> Space::best() const {
  std::optional<ConfigChoice> best;
  forEach([&](const Settings &settings) {
    if (!whyNot(settings).empty()) {
      return;
    }
    double estimate = cycles(settings);
    if (!best || estimate < best->cycles) {
      best = ConfigChoice{configure(settings), {}, estimate};
    }
  });
  return best;
}

void addValue(Knob &knob, std::vector<int64_t> value) {
  if (!llvm::is_contained(knob.values, value)) {
    knob.values.push_back(std::move(value));
  }
}

double strayFactor(int64_t value, int64_t rule, double perDoubling) {
  // Add one to both numbers, so that 0 is a valid value.
  double doublings = std::log2(static_cast<double>(value + 1) / static_cast<double>(rule + 1));
  return 1 + perDoubling * std::abs(doublings);
}

} // namespace convoy::kernels
