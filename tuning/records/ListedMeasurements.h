// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the layout stage's interface to measurements with a list in memory, which a tuning
// service has sent.

#pragma once

#include "Layout/Measurements.h"

namespace convoy::tuning {

class ListedMeasurements : public Measurements {
public:
  /// `hash` identifies the list.
  ListedMeasurements(std::string hash, std::map<std::string, layout::TaskMeasurements> byTask)
      : contentHash(std::move(hash)), byTask(std::move(byTask)) {}

  std::string hash() const override { return contentHash; }
  layout::TaskMeasurements find(const std::string &key, const layout::TaskCounts &) const override {
    auto found = byTask.find(key);
    return found == byTask.end() ? layout::TaskMeasurements() : found->second;
  }

private:
  std::string contentHash;
  std::map<std::string, layout::TaskMeasurements> byTask;
};

} // namespace convoy::tuning
