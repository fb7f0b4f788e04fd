// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up entries by their settings.

#include "tuning/search/Neighbors.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

namespace convoy::tuning {
namespace {

/// Returns the distance of two settings if they differ in exactly one knob.
std::optional<double> distance(const kernels::Settings &a, const kernels::Settings &b,
                               llvm::ArrayRef<size_t> widths) {
  size_t at = 0;
  size_t different = 0;
  double far = 0;
  for (size_t width : widths) {
    double own = 0;
    for (size_t i = at; i < at + width; ++i) {
      own += std::abs(std::log2(static_cast<double>(a[i] + 1) / static_cast<double>(b[i] + 1)));
    }
    at += width;
    different += own > 0;
    far += own;
  }
  return different == 1 ? std::optional(far) : std::nullopt;
}

} // namespace

Neighbors::Neighbors(const TaskSpace &space) : space(space), entriesOfPart(space.parts.size()) {
  for (const auto &[i, entry] : llvm::enumerate(space.entries)) {
    places[{entry.part, entry.settings}] = i;
    entriesOfPart[entry.part].push_back(i);
  }
}

std::optional<size_t> Neighbors::find(size_t part, const kernels::Settings &settings) const {
  auto found = places.find({part, settings});
  return found == places.end() ? std::nullopt : std::optional(found->second);
}

std::vector<size_t> Neighbors::of(size_t entry) const {
  const SpaceEntry &from = space.entries[entry];
  std::vector<std::pair<double, size_t>> near;
  for (size_t other : entriesOfPart[from.part]) {
    std::optional<double> far =
        distance(from.settings, space.entries[other].settings, space.parts[from.part].widths);
    if (far) {
      near.emplace_back(*far, other);
    }
  }
  llvm::sort(near);
  std::vector<size_t> result;
  for (const auto &[far, other] : near) {
    result.push_back(other);
  }
  return result;
}

} // namespace convoy::tuning
