// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives back what was measured before: searches can be tried and compared without a
// machine, in no time and with the same result each time.

#pragma once

#include "tuning/measure/Measurer.h"
#include "llvm/ADT/StringMap.h"

namespace convoy::tuning {

class ReplayMeasurer : public Measurer {
public:
  /// Candidates are looked up by their id. A second measurement of an id replaces the
  /// first.
  void add(llvm::StringRef id, Measurement measurement) { table[id] = std::move(measurement); }
  size_t size() const { return table.size(); }
  /// How many measurements were asked for.
  int64_t trialCount() const { return trials; }

  /// An error names a candidate that is not in the table.
  llvm::Expected<std::vector<Measurement>> measure(llvm::ArrayRef<Candidate> candidates,
                                                   const MeasurePlan &plan) override;

private:
  llvm::StringMap<Measurement> table;
  int64_t trials = 0;
};

} // namespace convoy::tuning
