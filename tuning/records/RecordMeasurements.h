// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records as the layout stage's source of measurements.

#pragma once

#include "Layout/Measurements.h"
#include "tuning/records/Snapshot.h"
#include <memory>

namespace convoy::tuning {

/// What this compiler looks for: its templates' versions, for a target.
Selection selectionFor(llvm::StringRef targetFingerprint, llvm::StringRef policy);

/// A snapshot of records. `verdict`, when given, decides instead of the snapshot's last
/// one about the network.
class RecordMeasurements : public layout::Measurements {
public:
  explicit RecordMeasurements(Snapshot snapshot, std::optional<Verdict> verdict = std::nullopt)
      : snapshot(std::move(snapshot)), verdict(std::move(verdict)) {}

  std::string hash() const override { return snapshot.hash(); }
  layout::TaskMeasurements find(const std::string &key,
                                const layout::TaskCounts &network) const override;

private:
  Snapshot snapshot;
  std::optional<Verdict> verdict;
};

} // namespace convoy::tuning
