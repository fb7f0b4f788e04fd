// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fastest measured configurations of each task, in memory. The engine adds each record after
// the store has committed it; the API answers lookups without a query to the database. The rules
// are those of tuning/records/Snapshot.h: the samples of a configuration's trials are combined, and
// one crash or wrong result excludes the configuration.

#pragma once

#include "tuning/records/Record.h"
#include <map>
#include <shared_mutex>

namespace convoy::service {

/// Selects the measurements of one task that a compiler can use.
struct TaskQuery {
  std::string task;   // Task::key
  std::string target; // fingerprint
  std::string policy;
  /// The compiler's versions by template id. Measurements of other versions are not returned.
  /// Empty: all versions.
  std::map<std::string, int> templateVersions;
};

/// One configuration with its time, and the trial that measured it last.
struct BestChoice {
  tuning::Configuration configuration;
  double ns = 0;       // per run: the median of all clean samples
  int64_t samples = 0; // the number of clean samples
  std::string trial;
  std::string worker; // the device; empty if unknown
  std::string compiler;
  int64_t unixUs = 0;
};

class BestRecords {
public:
  void add(const tuning::Record &record, llvm::StringRef worker);

  /// Returns the fastest configuration of each pair of layouts, fastest first; empty if nothing
  /// usable was measured.
  std::vector<BestChoice> find(const TaskQuery &query) const;
  /// Returns the number of trials of a task that ended with a time.
  int64_t trialCount(const TaskQuery &query) const;
  size_t taskCount() const;

private:
  struct Measured {
    BestChoice choice;
    std::vector<tuning::Sample> samples; // the newest clean ones
    int64_t trials = 0;
    bool isRuledOut = false;
  };
  /// Input and output layout, template id and version: a query selects some of the versions.
  using Variant = std::tuple<std::string, std::string, std::string, int>;
  struct TaskRecords {
    std::map<tuning::Configuration, Measured> measured;
    /// The fastest usable configuration of each variant, so that a lookup does not compare all.
    std::map<Variant, const BestChoice *> fastest;
  };
  using Key = std::tuple<std::string, std::string, std::string>; // task, target, policy

  static Variant variantOf(const tuning::Configuration &configuration);
  static void findFastest(TaskRecords &task, const Variant &variant);

  mutable std::shared_mutex mutex;
  std::map<Key, TaskRecords> byKey;
};

} // namespace convoy::service
