// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimizes energy under a deadline: chooses the number of cores and the power state for each task.
// Power falls faster than speed, so many slow cores meet a deadline with less energy than few fast
// cores.

#pragma once

#include "Schedule/MacroTasks.h"

namespace convoy::schedule {

/// A power state of a core and its power consumption.
struct PowerState {
  std::string name;
  double megahertz = 0;
  double activeMilliwatts = 0;
  double idleMilliwatts = 0;
};

/// Convert a state to "LOW:600:250:30", the form in pass options, and back; nullopt if the text is
/// invalid.
std::string toText(const PowerState &state);
std::optional<PowerState> parsePowerState(llvm::StringRef text);

/// A schedule for a number of cores, at full speed.
struct PowerOption {
  MacroGraph graph;
  ScheduleCandidate schedule;
};

struct PowerPlan {
  size_t option = 0;            // index of the option
  std::vector<unsigned> states; // by task
  double ns = 0;
  double microjoules = 0;
};

/// Predicts time and energy of a schedule whose tasks run in these states. Waiting cores are in the
/// slowest state. Cores outside the schedule are off, and all cores are off when the schedule ends.
PowerPlan predictPower(llvm::ArrayRef<PowerOption> options, size_t option,
                       llvm::ArrayRef<PowerState> states, std::vector<unsigned> stateOfTask);

/// Returns the plan with the least energy that meets the deadline, or nullopt if even full speed
/// takes longer. `states` are sorted by speed, fastest first. A longer deadline never gives a plan
/// with more energy.
std::optional<PowerPlan> planPower(llvm::ArrayRef<PowerOption> options,
                                   llvm::ArrayRef<PowerState> states, double deadlineNs);

} // namespace convoy::schedule
