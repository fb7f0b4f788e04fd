// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the items that start. The order of one resource:
//
//   higher tier > aged job (the first aged first) > project that is behind by more than the slack
//               > critical job > rank of the policy > order of submission
//
// next() starts items while slots are free, so aging only changes the order; it needs no timer.

#include "service/scheduler/SchedulerState.h"
#include <algorithm>
#include <cmath>

namespace convoy::service::scheduler {

int Scheduler::State::slots(const Resource &resource) const {
  return static_cast<int>(std::ceil(resource.count * options.itemsPerSlot));
}

double Scheduler::State::leastBusyShare() {
  while (busy.topKey() < busy.top().share()) {
    busy.set(busy.top().busy, busy.top().share());
  }
  return busy.topKey();
}

void Scheduler::State::setReview(ActiveJob &job, double now) {
  constexpr double kLeastSeconds = 1; // between two reviews of a job
  double critical = now + std::max(policy->secondsToCritical(job.facts()), kLeastSeconds);
  job.reviewTime = policy->ages() ? std::min(job.agingTime(), critical) : critical;
  reviews.set(job.review, job.reviewTime);
}

/// Boosts the jobs that have waited for too long and finds the jobs that have become critical. The
/// times may be too early, because a start does not update them. A boost lasts for one item at
/// first and twice as many each time, so a job that other jobs always precede ends after
/// log2(items) boosts.
void Scheduler::State::reviewJobs(double now) {
  constexpr int kMostDoublings = 20;
  while (!reviews.empty() && reviews.topKey() <= now) {
    ActiveJob &job = reviews.top();
    if (job.queuedStages == 0) {
      reviews.remove(job.review);
    } else if (policy->ages() && job.agingTime() <= now) {
      reviews.remove(job.review);
      job.boostedItems = 1 << std::min(job.agedTimes++, kMostDoublings);
      job.agedAt = now;
      placeAll(job, now);
    } else {
      placeAll(job, now);
      setReview(job, now);
    }
  }
}

ActiveJob *Scheduler::State::choose(Resource &resource) {
  if (policy->isSerial()) {
    ActiveJob *first = active.empty() ? nullptr : active.begin()->second;
    auto stage = static_cast<size_t>(resource.stage);
    bool isReady =
        first && first->resources[stage] == &resource && first->places[stage].inAll.isQueued();
    return isReady ? first : nullptr;
  }
  for (auto &[tier, queue] : resource.tiers) {
    if (!queue.empty()) {
      QueuedJob &job =
          policy->sharesByProject() ? queue.firstByShare(options.shareSlackSeconds) : queue.first();
      return job.job;
    }
  }
  return nullptr;
}

Item Scheduler::State::start(ActiveJob &job, size_t stage, double now) {
  Resource &resource = *job.resources[stage];
  ReadyItem item = job.ready[stage].front();
  job.ready[stage].pop_front();
  double seconds = job.secondsPerItem[stage];
  job.running[stage].push_back({item, seconds});
  ++resource.inUse;
  job.project->charge(seconds, resource.capacity());
  job.attainedSeconds += seconds / resource.capacity();
  job.noteWait(now);
  if (job.boostedItems > 0 && --job.boostedItems == 0) {
    placeAll(job, now);
    setReview(job, now);
  } else {
    place(job, stage, now);
  }
  return {job.id, static_cast<Stage>(stage), item.handle};
}

std::vector<Item> Scheduler::State::next(double now, size_t limit) {
  lastNow = now;
  reviewJobs(now);
  std::vector<Item> items;
  auto isBefore = [](const Resource *a, const Resource *b) { return a->index < b->index; };
  std::sort(changed.begin(), changed.end(), isBefore);
  std::vector<Resource *> visited;
  std::swap(visited, changed);
  for (Resource *resource : visited) {
    auto stage = static_cast<size_t>(resource->stage);
    while (items.size() < limit && resource->inUse < slots(*resource)) {
      ActiveJob *job = choose(*resource);
      if (!job) {
        break;
      }
      items.push_back(start(*job, stage, now));
    }
    resource->isChanged = false;
  }
  // The end of a boost changes ranks in other queues, which starts nothing there.
  std::for_each(changed.begin(), changed.end(), [](Resource *it) { it->isChanged = false; });
  changed.clear();
  if (items.size() == limit) {
    std::for_each(visited.begin(), visited.end(), [&](Resource *it) { markChanged(*it); });
  }
  return items;
}

} // namespace convoy::service::scheduler
