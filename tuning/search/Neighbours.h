// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of a space that differ in one knob.

#pragma once

#include "tuning/space/TaskSpace.h"
#include <map>
#include <optional>

namespace convoy::tuning {

class Neighbours {
public:
  explicit Neighbours(const TaskSpace &space);

  /// The entry of a part with these settings, if there is one.
  std::optional<size_t> find(size_t part, const kernels::Settings &settings) const;

  /// Entries of the same part that differ from this one in one knob, nearest first.
  std::vector<size_t> of(size_t entry) const;

private:
  const TaskSpace &space;
  /// By part and settings.
  std::map<std::pair<size_t, kernels::Settings>, size_t> places;
  std::vector<std::vector<size_t>> entriesOfPart;
};

} // namespace convoy::tuning
