// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integrates device-seconds over common backlogs.

#include "service/simulate/ShareWatch.h"
#include <algorithm>

namespace convoy::service {

size_t ShareWatch::add(const std::string &project) {
  auto [found, isNew] = numbers.try_emplace(project, waiting.size());
  if (isNew) {
    waiting.push_back(0);
    measuring.push_back(0);
  }
  return found->second;
}

void ShareWatch::advance(double now) {
  double seconds = now - last;
  last = now;
  if (seconds <= 0) {
    return;
  }
  for (size_t a = 0; a < waiting.size(); ++a) {
    for (size_t b = a + 1; waiting[a] > 0 && b < waiting.size(); ++b) {
      if (waiting[b] > 0) {
        Pair &pair = pairs[{a, b}];
        pair.seconds += seconds;
        pair.first += seconds * static_cast<double>(measuring[a]);
        pair.second += seconds * static_cast<double>(measuring[b]);
      }
    }
  }
}

double ShareWatch::jainIndex(double leastSeconds) const {
  double worst = 1;
  for (const auto &[names, pair] : pairs) {
    double sum = pair.first + pair.second;
    double squares = pair.first * pair.first + pair.second * pair.second;
    if (pair.seconds >= leastSeconds && squares > 0) {
      worst = std::min(worst, sum * sum / (2 * squares));
    }
  }
  return worst;
}

} // namespace convoy::service
