// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fastest measured configurations of each task, in memory. The engine adds each record after
// the store has committed it; the API answers lookups without a query to the database. The rules
// are those of tuning/records/Snapshot.h: the samples of a configuration's trials are combined, and
// one crash or wrong result excludes the configuration.
//
// add() updates the statistics of a task and then replaces the immutable answer of the task. A
// lookup takes the current answer, so it waits for the replacement of a pointer at most, never for
// the statistics.

#pragma once

#include "service/store/TaskHashes.h"
#include "tuning/records/Record.h"
#include <map>
#include <memory>
#include <mutex>
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
  double ns = 0;       // per run: the median of the newest clean samples
  int64_t samples = 0; // the number of these samples
  std::string trial;
  std::string job;    // empty if unknown
  std::string worker; // the device; empty if unknown
  std::string compiler;
  int64_t unixUs = 0;
};

class BestRecords {
public:
  /// `job` and `worker` may be empty: unknown.
  void add(const tuning::Record &record, llvm::StringRef job, llvm::StringRef worker);

  /// Returns the fastest configuration of each pair of layouts, fastest first; empty if nothing
  /// usable was measured.
  std::vector<std::shared_ptr<const BestChoice>> find(const TaskQuery &query) const;
  /// The numbers of trials of a task that ended with a time, and of their configurations.
  struct Counts {
    int64_t trials = 0, configurations = 0;
  };
  Counts count(const TaskQuery &query) const;
  size_t taskCount() const;

private:
  /// The statistics of a configuration.
  struct Measured {
    std::shared_ptr<const BestChoice> choice; // null if no trial ended with a time
    std::vector<double> sampleNs;             // the newest clean ones, per run
    int64_t trials = 0;
    bool isRuledOut = false;

    bool isUsable() const { return choice && !isRuledOut; }
  };
  /// Input and output layout, template id and version: a query selects some of the versions.
  using Variant = std::tuple<std::string, std::string, std::string, int>;
  struct VariantRecords {
    std::map<std::string, Measured> measured; // by the text of the configuration
    const Measured *fastest = nullptr;
  };
  using TaskRecords = std::map<Variant, VariantRecords>;
  using Key = std::tuple<std::string, std::string, std::string>; // task, target, policy
  /// The fastest usable configuration of each variant.
  using Answer = std::vector<std::shared_ptr<const BestChoice>>;

  static void findFastest(VariantRecords &variant);
  void publish(const Key &key, const TaskRecords &task);

  mutable std::mutex mutex; // of the statistics
  std::map<Key, TaskRecords, std::less<>> byKey;
  store::TaskHashes hashes;

  mutable std::shared_mutex answerMutex; // held for a lookup in the map or the change of a pointer
  std::map<Key, std::shared_ptr<const Answer>, std::less<>> answers;
};

} // namespace convoy::service
