// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures how equally two projects use devices while both have waiting items.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace convoy::service {

class ShareWatch {
public:
  /// Returns the number of a project.
  size_t add(const std::string &project);
  size_t size() const { return waiting.size(); }

  /// Adds the time since the last call to the pairs that have waited since then.
  void advance(double now);
  void addWaiting(size_t project, int items) { waiting[project] += items; }
  void addMeasuring(size_t project, int items) { measuring[project] += items; }

  /// Returns Jain's index of the worst pair that has waited together for `leastSeconds`.
  double jainIndex(double leastSeconds) const;

private:
  struct Pair {
    double seconds = 0, first = 0, second = 0; // together, and device-seconds
  };
  std::map<std::string, size_t> numbers;
  std::vector<int64_t> waiting, measuring;
  std::map<std::pair<size_t, size_t>, Pair> pairs;
  double last = 0;
};

} // namespace convoy::service
