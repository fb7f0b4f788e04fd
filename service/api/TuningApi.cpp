// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the states, as both faces and the store write them.

#include "service/api/TuningApi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::service {
namespace {

// In the order of the enums.
constexpr llvm::StringLiteral kJobStates[] = {"QUEUED",    "CACHED_HIT", "RUNNING",
                                              "PAUSED",    "SLA_MET",    "BUDGET_DONE",
                                              "CONVERGED", "CANCELLED",  "FAILED"};
constexpr llvm::StringLiteral kDeviceStates[] = {"ACTIVE", "DRAINING", "QUARANTINED", "LOST"};

template <typename State, size_t N>
bool find(const llvm::StringLiteral (&names)[N], llvm::StringRef text, State &state) {
  const auto *found = llvm::find(names, text);
  if (found == std::end(names)) {
    return false;
  }
  state = static_cast<State>(found - std::begin(names));
  return true;
}

} // namespace

bool isEnded(JobState state) {
  return state != JobState::Queued && state != JobState::Running && state != JobState::Paused;
}

llvm::StringRef name(JobState state) { return kJobStates[static_cast<size_t>(state)]; }
llvm::StringRef name(DeviceState state) { return kDeviceStates[static_cast<size_t>(state)]; }

bool stateFromName(llvm::StringRef text, JobState &state) { return find(kJobStates, text, state); }
bool stateFromName(llvm::StringRef text, DeviceState &state) {
  return find(kDeviceStates, text, state);
}

std::string stateNames(JobState) { return llvm::join(llvm::ArrayRef(kJobStates), ", "); }
std::string stateNames(DeviceState) { return llvm::join(llvm::ArrayRef(kDeviceStates), ", "); }

} // namespace convoy::service
