// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text forms of trial ids and states.

#include "Rows.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::service::store {
namespace {

constexpr llvm::StringLiteral kStateNames[] = {"requested", "building", "built", "measuring",
                                               "done"};

} // namespace

std::string TrialId::text() const {
  return job + "/" + std::to_string(round) + "/" + std::to_string(place);
}

std::optional<TrialId> trialIdFromText(llvm::StringRef text) {
  auto [front, place] = text.rsplit('/');
  auto [job, round] = front.rsplit('/');
  TrialId id;
  id.job = job.str();
  if (job.empty() || !llvm::to_integer(round, id.round, 10) ||
      !llvm::to_integer(place, id.place, 10) || id.round < 0 || id.place < 0) {
    return std::nullopt;
  }
  return id;
}

llvm::StringRef name(TrialState state) { return kStateNames[static_cast<size_t>(state)]; }

std::optional<TrialState> trialStateFromName(llvm::StringRef name) {
  for (size_t index = 0; index < std::size(kStateNames); ++index) {
    if (kStateNames[index] == name) {
      return static_cast<TrialState>(index);
    }
  }
  return std::nullopt;
}

} // namespace convoy::service::store
