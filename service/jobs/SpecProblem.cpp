// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/SpecProblem.h"
#include "service/api/FileName.h"

namespace convoy::service {
namespace {

/// The limit of the text of a task; records cannot store longer ones.
constexpr size_t kMostTaskBytes = 1 << 20;

/// The greatest limit. Sums and microseconds of limits must be int64_t: 1e9 s are 30 years.
constexpr int64_t kMost = 1000000000;
std::string mostText() { return std::to_string(kMost); }

/// The greatest latency in microseconds.
constexpr int64_t kMostUs = kMost * 1000000;

/// Returns whether a number is a limit; NaN is none.
bool isLimit(double value, int64_t most = kMost) {
  return value >= 0 && value <= static_cast<double>(most);
}

bool areLimits(int64_t trials, double wallSeconds, double deviceSeconds) {
  return trials >= 0 && trials <= kMost && isLimit(wallSeconds) && isLimit(deviceSeconds);
}

} // namespace

std::string problemOf(const JobSpec &spec) {
  if (spec.project().empty()) {
    return "project: expected a name";
  }
  if (spec.tasks().empty()) {
    return "tasks: expected at least one task, or the field model";
  }
  if (spec.target_class().empty()) {
    return "targetClass: expected the class of the devices that measure; `convoy service devices "
           "list` "
           "shows them";
  }
  if (spec.objective() != "latency") {
    return "objective: expected 'latency', found '" + spec.objective() + "'";
  }
  if (spec.batch() < 1 || spec.batch() > 1024) {
    return "batch: expected 1 to 1024, found " + std::to_string(spec.batch());
  }
  if (!spec.model_name().empty() && !isFileName(spec.model_name())) {
    return "modelName: expected at most 100 letters, digits, '-', '.' and '_', and a letter at "
           "first";
  }
  if (!areLimits(spec.max_trials(), spec.max_wall_seconds(), spec.max_device_seconds())) {
    return "maxTrials, maxWallSeconds, maxDeviceSeconds: expected at least 0, which means no "
           "limit, and at most " +
           mostText();
  }
  if (!isLimit(spec.latency_us(), kMostUs)) {
    return "latencyUs: expected at least 0, which means no limit, and at most " +
           std::to_string(kMostUs);
  }
  for (const TaskSpec &task : spec.tasks()) {
    if (task.text().size() > kMostTaskBytes) {
      return "tasks: the text of '" + task.name() + "' has " + std::to_string(task.text().size()) +
             " bytes, at most " + std::to_string(kMostTaskBytes) + " are accepted";
    }
  }
  if (spec.max_trials() == 0 && spec.max_wall_seconds() == 0 && spec.max_device_seconds() == 0) {
    return "expected a limit: maxTrials, maxWallSeconds or maxDeviceSeconds";
  }
  return "";
}

std::string problemOf(const JobExtension &extension) {
  if (!areLimits(extension.add_trials(), extension.add_wall_seconds(),
                 extension.add_device_seconds())) {
    return "addTrials, addWallSeconds, addDeviceSeconds: expected at least 0 and at most " +
           mostText() + "; an extension cannot lower a limit";
  }
  return "";
}

} // namespace convoy::service
