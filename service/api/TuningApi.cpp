// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the states, as both faces and the store write them.

#include "service/api/TuningApi.h"

namespace convoy::service {

bool isEnded(JobState state) {
  return state != JobState::QUEUED && state != JobState::RUNNING && state != JobState::PAUSED;
}

llvm::StringRef name(JobState state) { return JobState_Name(state); }
llvm::StringRef name(DeviceState state) { return DeviceState_Name(state); }

bool stateFromName(llvm::StringRef text, JobState &state) {
  return JobState_Parse(text.str(), &state) && state != JobState::JOB_STATE_UNKNOWN;
}

std::string stateNames(const google::protobuf::EnumDescriptor *states) {
  std::string names;
  for (int i = 1; i < states->value_count(); ++i) { // the first is the unknown state
    names += (names.empty() ? "" : ", ") + states->value(i)->name();
  }
  return names;
}

} // namespace convoy::service
