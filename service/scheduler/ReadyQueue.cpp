// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queue of one resource and one tier.

#include "service/scheduler/ReadyQueue.h"

namespace convoy::service::scheduler {

void ReadyQueue::set(QueuedJob &job, const JobKey &key) {
  all.set(job.inAll, key);
  ProjectJobs &project = projects[job.project];
  if (project.jobs.empty()) {
    project.project = job.project;
    project.slot.owner = &project;
    byShare.set(project.slot, {job.project->share(), &job.project->name});
  }
  project.jobs.set(job.inProject, key);
}

void ReadyQueue::remove(QueuedJob &job) {
  if (!job.inAll.isQueued()) {
    return;
  }
  all.remove(job.inAll);
  ProjectJobs &project = projects[job.project];
  project.jobs.remove(job.inProject);
  if (project.jobs.empty()) {
    byShare.remove(project.slot);
  }
}

ReadyQueue::ProjectJobs &ReadyQueue::leastShare() {
  while (byShare.topKey().share < byShare.top().project->share()) {
    ProjectJobs &stale = byShare.top();
    byShare.set(stale.slot, {stale.project->share(), &stale.project->name});
  }
  return byShare.top();
}

QueuedJob &ReadyQueue::firstByShare(double slack) {
  QueuedJob &best = all.top();
  if (all.topKey().level == Level::Aged) {
    return best;
  }
  ProjectJobs &least = leastShare();
  bool isInside = best.project->share() <= least.project->share() + slack;
  return isInside ? best : least.jobs.top();
}

} // namespace convoy::service::scheduler
