// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published states of jobs. The engine's loop publishes; threads of the API read and wait for
// changes without stopping the loop.

#pragma once

#include "service/api/TuningApi.h"
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace convoy::service {

class StatusBoard {
public:
  void publish(JobStatus status);
  std::optional<JobStatus> find(const std::string &id) const;
  /// Returns the newest jobs first, without their tasks.
  JobList list(const JobFilter &filter) const;

  /// Calls `watcher` at once, after each change and at least every 2 s, until the job has ended,
  /// the watcher returns false or stop() is called.
  llvm::Error watch(const std::string &id, const JobWatcher &watcher);
  void stop();

private:
  struct Entry {
    JobStatus status;
    int64_t revision = 0;
  };
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry> entries;
  bool isStopping = false;
};

} // namespace convoy::service
