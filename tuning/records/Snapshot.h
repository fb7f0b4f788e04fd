// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compile reads from a file of records: per task and pair of layouts the fastest
// configuration, what networks showed, and a hash that names all of it. The same
// records give the same snapshot, in whatever order they were added.

#pragma once

#include "tuning/records/RecordStore.h"
#include <map>

namespace convoy::tuning {

/// Records that count; all others are misses.
struct Selection {
  std::string target; // fingerprint
  std::string policy;
  std::map<std::string, int> templateVersions; // the compiler's own, by template id
};

/// The fastest known way to do a task between two layouts.
struct Choice {
  Configuration configuration;
  double ns = 0;       // per run: the median of all clean samples
  int64_t samples = 0; // that it is the median of
};

class Snapshot {
public:
  static llvm::Expected<Snapshot> read(llvm::StringRef path, const Selection &selection);
  static llvm::Expected<Snapshot> read(RecordStore &store, const Selection &selection);

  /// SHA-256 over all records of the file, chosen or not.
  const std::string &hash() const { return contentHash; }
  int64_t recordCount() const { return records; }

  /// Null when nobody has measured that.
  const Choice *find(llvm::StringRef task, llvm::StringRef inputLayout,
                     llvm::StringRef outputLayout) const;
  /// Of all pairs of layouts, by their names; empty for an unknown task.
  llvm::ArrayRef<Choice> choices(llvm::StringRef task) const;
  /// The same without what a verdict passes over, whose places go to the next fastest.
  std::vector<Choice> choices(llvm::StringRef task, const Verdict *verdict) const;
  /// All that may be chosen, by layouts, then fastest first.
  llvm::ArrayRef<Choice> ranked(llvm::StringRef task) const;

  /// The last one about a network, or null.
  const Verdict *verdict(llvm::StringRef network) const;

private:
  std::string contentHash;
  int64_t records = 0;
  std::map<std::string, std::vector<Choice>, std::less<>> byTask, all;
  std::map<std::string, Verdict, std::less<>> byNetwork;
};

/// The hash of a set of records and verdicts, independent of their order.
class ContentHash {
public:
  void add(const Record &record);
  void add(const Verdict &verdict);
  std::string finish();

private:
  std::vector<std::string> lines; // hashes of lines
};

} // namespace convoy::tuning
