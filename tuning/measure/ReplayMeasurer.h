// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns stored measurements instead of measuring. Searches can run without the target
// machine, in milliseconds and with reproducible results.

#pragma once

#include "tuning/measure/Measurer.h"
#include "llvm/ADT/StringMap.h"

namespace convoy::tuning {

class ReplayMeasurer : public Measurer {
public:
  /// Stores the measurement of a candidate's id. A second measurement of the same id replaces
  /// the first.
  void add(llvm::StringRef id, Measurement measurement) { table[id] = std::move(measurement); }
  size_t size() const { return table.size(); }
  /// Returns the number of requested measurements.
  int64_t trialCount() const { return trials; }

  /// Returns an error if a candidate is not in the table.
  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<RunnableCandidate> candidates,
                                                   const MeasurePlan &plan) override;

private:
  llvm::StringMap<Measurement> table;
  int64_t trials = 0;
};

} // namespace convoy::tuning
