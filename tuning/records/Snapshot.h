// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a file of records that a compilation reads: the fastest configurations per task
// and pair of layouts, the verdicts about networks, and a hash of all records. Equal records
// give an equal snapshot, independent of the order in which they were added.

#pragma once

#include "tuning/records/RecordStore.h"
#include <map>

namespace convoy::tuning {

/// Selects the records that a compilation may use.
struct Selection {
  std::string target; // fingerprint
  std::string policy;
  std::map<std::string, int> templateVersions; // the compiler's versions, by template id
};

/// The fastest known configuration of a task for a pair of layouts.
struct RankedConfiguration {
  Configuration configuration;
  double ns = 0;       // per run: the median of all clean samples
  int64_t samples = 0; // the number of clean samples
};

class Snapshot {
public:
  static llvm::Expected<Snapshot> read(llvm::StringRef path, const Selection &selection);
  static llvm::Expected<Snapshot> read(RecordStore &store, const Selection &selection);

  /// Returns the SHA-256 over all records of the file, selected or not.
  const std::string &hash() const { return contentHash; }
  int64_t recordCount() const { return records; }
  /// Returns whether no record was selected.
  bool isEmpty() const { return all.empty(); }

  /// Returns null if there is no measurement.
  const RankedConfiguration *find(llvm::StringRef task, llvm::StringRef inputLayout,
                                  llvm::StringRef outputLayout) const;
  /// Returns the choices of all pairs of layouts, sorted by layout. Empty for an unknown task.
  llvm::ArrayRef<RankedConfiguration> choices(llvm::StringRef task) const;
  /// Returns the choices without the configurations that the verdict rejects. The next fastest
  /// configuration replaces a rejected one.
  std::vector<RankedConfiguration> choices(llvm::StringRef task, const Verdict *verdict) const;
  /// Returns all usable configurations, sorted by layouts, then by time.
  llvm::ArrayRef<RankedConfiguration> ranked(llvm::StringRef task) const;

  /// Returns the last verdict about a network, or null.
  const Verdict *verdict(llvm::StringRef network) const;

private:
  std::string contentHash;
  int64_t records = 0;
  std::map<std::string, std::vector<RankedConfiguration>, std::less<>> byTask, all;
  std::map<std::string, Verdict, std::less<>> byNetwork;
};

/// Computes the hash of a set of records and verdicts, independent of their order.
class ContentHash {
public:
  void add(const Record &record);
  void add(const Verdict &verdict);
  std::string finish();

private:
  std::vector<std::string> lines; // hashes of the lines
};

} // namespace convoy::tuning
