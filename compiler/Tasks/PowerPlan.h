// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Least energy under a deadline: how many cores, and for each task the power state
// of the cores that do it. Power falls faster than speed, so more cores that run
// slowly meet a deadline with less energy than few fast ones.

#pragma once

#include "Tasks/MacroTasks.h"

namespace convoy::tasks {

/// A state that cores can be in, and what one takes in it.
struct PowerState {
  std::string name;
  double megahertz = 0;
  double activeMilliwatts = 0;
  double idleMilliwatts = 0;
};

/// "LOW:600:250:30", as pass options hold it, and back; none when it is not so.
std::string toText(const PowerState &state);
std::optional<PowerState> parsePowerState(llvm::StringRef text);

/// A schedule for some number of cores, at full speed.
struct PowerOption {
  MacroGraph graph;
  Candidate schedule;
};

struct PowerPlan {
  size_t option = 0;            // position among those given
  std::vector<unsigned> states; // by task
  double ns = 0;
  double microjoules = 0;
};

/// What a schedule takes when its tasks run in these states. Cores that wait do so in
/// the slowest one; cores that the schedule does not have are off, and all are when it
/// is done.
PowerPlan predictPower(llvm::ArrayRef<PowerOption> options, size_t option,
                       llvm::ArrayRef<PowerState> states, std::vector<unsigned> stateOfTask);

/// The plan with least energy that is done by the deadline; none when even full speed
/// takes longer. `states` are fastest first. A longer deadline never gives a plan with
/// more energy.
std::optional<PowerPlan> planPower(llvm::ArrayRef<PowerOption> options,
                                   llvm::ArrayRef<PowerState> states, double deadlineNs);

} // namespace convoy::tasks
