// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the Layout stage's interface to measurements with tuning records.

#pragma once

#include "Layout/Measurements.h"
#include "tuning/records/Snapshot.h"
#include <memory>

namespace convoy::tuning {

/// Returns the selection of records that this compiler can use: the current versions of its
/// templates, for a target.
Selection selectionFor(llvm::StringRef targetFingerprint, llvm::StringRef policy);

/// Looks up measurements in a snapshot. If `verdict` is given, it replaces the snapshot's last
/// verdict about the network.
class RecordMeasurements : public Measurements {
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
