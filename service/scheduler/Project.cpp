// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accounts of projects: accumulated share and quota of device-seconds.

#include "service/scheduler/Project.h"
#include <algorithm>
#include <cmath>

namespace convoy::service::scheduler {

void Project::charge(double seconds, int capacity) {
  pending += seconds / std::max(capacity, 1) / kStages / limits.weight;
  if (pending > 0) {
    shareSeconds += pending;
    pending = 0;
  }
}

void Project::raiseShare(double least) {
  if (least > shareSeconds) {
    shareSeconds = least;
    pending = 0;
  }
}

void Project::openWindow(double now) {
  double current = std::floor(now / limits.windowSeconds);
  if (current != window) {
    window = current;
    usedInWindow = 0;
  }
}

Admission Project::reserve(double deviceSeconds, double now) {
  openWindow(now);
  double quota = limits.quotaDeviceSeconds, left = quota - usedInWindow - reserved;
  if (deviceSeconds > std::max(left, 0.0)) {
    auto whole = [](double value) { return std::to_string(std::llround(value)); };
    bool fitsLater = deviceSeconds <= quota;
    double retry = (window + 1) * limits.windowSeconds - now;
    return {false,
            "project '" + name + "' needs " + whole(deviceSeconds) + " device-seconds, " +
                whole(std::max(left, 0.0)) + " of its quota of " + whole(quota) + " are left; " +
                (fitsLater ? "retry in " + whole(retry) + " s" : "request fewer trials"),
            fitsLater ? retry : 0};
  }
  reserved += deviceSeconds;
  return {};
}

void Project::use(double deviceSeconds, double now) {
  openWindow(now);
  used += deviceSeconds;
  usedInWindow += deviceSeconds;
}

} // namespace convoy::service::scheduler
