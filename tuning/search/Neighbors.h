// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the entries of a space that differ in one knob. The searchers use it.

#pragma once

#include "tuning/space/TaskSpace.h"
#include <map>
#include <optional>

namespace convoy::tuning {

class Neighbors {
public:
  explicit Neighbors(const TaskSpace &space);

  /// Returns the entry of a part with these settings, if there is one.
  std::optional<size_t> find(size_t part, const kernels::Settings &settings) const;

  /// Returns the entries of the same part that differ from this entry in one knob, nearest
  /// first.
  std::vector<size_t> of(size_t entry) const;

private:
  const TaskSpace &space;
  /// The entries by part and settings.
  std::map<std::pair<size_t, kernels::Settings>, size_t> places;
  std::vector<std::vector<size_t>> entriesOfPart;
};

} // namespace convoy::tuning
