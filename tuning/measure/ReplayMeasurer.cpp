// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up measurements in a table.

#include "ReplayMeasurer.h"

namespace convoy::tuning {

llvm::Expected<std::vector<Measurement>>
ReplayMeasurer::measure(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan) {
  std::vector<Measurement> results;
  for (const RunnableCandidate &candidate : candidates) {
    auto entry = table.find(candidate.id);
    if (entry == table.end()) {
      return llvm::createStringError("the table of measurements does not contain '" + candidate.id +
                                     "'; it belongs to a different space, so create it again");
    }
    ++trials;
    results.push_back(entry->second);
  }
  return results;
}

} // namespace convoy::tuning
