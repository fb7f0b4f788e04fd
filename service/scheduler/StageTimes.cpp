// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means of observed stage times, per job and per class of devices.

#include "service/scheduler/StageTimes.h"

namespace convoy::service::scheduler {

void ObservedMeans::Sums::add(Stage stage, double value) {
  seconds[static_cast<size_t>(stage)] += value;
  items[static_cast<size_t>(stage)] += 1;
}

double ObservedMeans::Sums::mean(size_t stage, double prior) const {
  return (prior * kPriorItems + seconds[stage]) / (kPriorItems + items[stage]);
}

void ObservedMeans::addJob(JobId job, const std::string &deviceClass) {
  jobs[job] = {{}, &classes[deviceClass]};
}

void ObservedMeans::removeJob(JobId job) { jobs.erase(job); }

void ObservedMeans::observe(JobId job, Stage stage, double seconds) {
  auto found = jobs.find(job);
  if (found != jobs.end()) {
    found->second.sums.add(stage, seconds);
    found->second.ofClass->add(stage, seconds);
  }
}

PerStage ObservedMeans::predict(JobId job) const {
  PerStage seconds = kDefaultStageSeconds;
  auto found = jobs.find(job);
  if (found == jobs.end()) {
    return seconds;
  }
  for (size_t stage = 0; stage < kStages; ++stage) {
    double ofClass = found->second.ofClass->mean(stage, seconds[stage]);
    seconds[stage] = found->second.sums.mean(stage, ofClass);
  }
  return seconds;
}

} // namespace convoy::service::scheduler
