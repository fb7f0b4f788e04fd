// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs of one tier that wait for one resource, in the order in which they start items. Each job
// is in two heaps: one of all jobs, one of the jobs of its project.

#pragma once

#include "service/scheduler/Project.h"
#include <map>
#include <unordered_map>

namespace convoy::service::scheduler {

struct ActiveJob;

/// Aged jobs start first, then critical jobs.
enum class Level { Aged, Critical, Normal };

/// Order of jobs: the level, then the rank, then the order of submission.
struct JobKey {
  Level level = Level::Normal;
  double rank = 0;
  int64_t order = 0;

  bool operator<(const JobKey &other) const {
    if (level != other.level) {
      return level < other.level;
    }
    return rank != other.rank ? rank < other.rank : order < other.order;
  }
};

/// A job's places in the two heaps of a queue.
struct QueuedJob {
  ActiveJob *job = nullptr;
  Project *project = nullptr;
  HeapSlot<QueuedJob> inAll, inProject;
};

class ReadyQueue {
public:
  void set(QueuedJob &job, const JobKey &key);
  void remove(QueuedJob &job);
  bool empty() const { return all.empty(); }

  /// Returns the next job by key alone.
  QueuedJob &first() const { return all.top(); }
  /// Returns the next job if no project may lead another by more than `slack`. An aged job is next
  /// in any case.
  QueuedJob &firstByShare(double slack);

private:
  using Jobs = IndexedHeap<JobKey, QueuedJob>;
  struct ProjectJobs {
    Project *project = nullptr;
    Jobs jobs;
    HeapSlot<ProjectJobs> slot;
  };
  struct ShareKey {
    double share;
    const std::string *name;
    bool operator<(const ShareKey &other) const {
      return share != other.share ? share < other.share : *name < *other.name;
    }
  };
  ProjectJobs &leastShare();

  Jobs all;
  std::unordered_map<Project *, ProjectJobs> projects;
  /// The projects by the share at their last update. Shares only grow, so a key that is too small
  /// is corrected when it reaches the top.
  IndexedHeap<ShareKey, ProjectJobs> byShare;
};

} // namespace convoy::service::scheduler
