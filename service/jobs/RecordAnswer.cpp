// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/RecordAnswer.h"
#include "Layout/Spaces.h"
#include "tuning/measure/Measurer.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::service {
namespace {

struct LeastShare {
  int64_t configurations;
  double share;
};
/// Of the measured spaces of bench/tuning/tables. The test tuning-least-shares draws them again.
constexpr LeastShare kLeastShares[] = {
#include "service/jobs/LeastShares.inc"
};

std::string tasksText(const RecordAnswer &stored) {
  return stored.isComplete()
             ? "these tasks"
             : llvm::formatv("{0} of the {1} tasks", stored.knownTasks, stored.choices.size())
                   .str();
}

} // namespace

double leastShare(int64_t configurations) {
  double share = 0;
  for (const LeastShare &row : kLeastShares) {
    if (row.configurations <= configurations) {
      share = row.share;
    }
  }
  return share;
}

TaskQuery queryFor(const targets::Target &target) {
  TaskQuery query;
  query.target = target.fingerprint();
  query.policy = name(tuning::policyOf(target)).str();
  for (const layout::TemplateVersion &known : layout::templateVersions()) {
    query.templateVersions[known.id.str()] = known.version;
  }
  return query;
}

RecordAnswer recordAnswer(const JobSpec &spec, const targets::Target &target,
                          const BestRecords &best) {
  TaskQuery query = queryFor(target);
  RecordAnswer stored;
  for (const TaskSpec &task : spec.tasks()) {
    query.task = tuning::taskHash(task.text());
    auto choices = best.find(query);
    stored.choices.push_back(choices.empty() ? nullptr : choices.front());
    if (choices.empty()) {
      continue;
    }
    BestRecords::Counts counts = best.count(query);
    double us = choices.front()->ns * static_cast<double>(task.count()) * 1e-3;
    ++stored.knownTasks;
    stored.trials += counts.trials;
    stored.knownUs += us;
    stored.leastUs += us * leastShare(counts.configurations);
  }
  return stored;
}

std::optional<JobEnd> endByRecords(const JobSpec &spec, const RecordAnswer &stored) {
  if (spec.ignores_stored() || !stored.isComplete()) {
    return std::nullopt;
  }
  if (spec.latency_us() > 0 && stored.us() <= spec.latency_us()) {
    return JobEnd{JobState::SLA_MET,
                  llvm::formatv("the stored configurations of these tasks take {0:f1} us in sum, "
                                "at most {1:f1} us were required",
                                stored.us(), spec.latency_us())};
  }
  if (spec.max_trials() > 0 && stored.trials >= spec.max_trials()) {
    return JobEnd{JobState::CACHED_HIT,
                  llvm::formatv("{0} trials of these tasks are stored, {1} were requested",
                                stored.trials, spec.max_trials())};
  }
  return std::nullopt;
}

std::string latencyWarning(const JobSpec &spec, const RecordAnswer &stored) {
  if (spec.latency_us() <= 0 || stored.leastUs <= spec.latency_us()) {
    return "";
  }
  return llvm::formatv("{0:f1} us are improbable: the fastest stored configurations of {1} take "
                       "{2:f1} us in sum after {3} trials, and probably no configurations take "
                       "less than {4:f1} us",
                       spec.latency_us(), tasksText(stored), stored.knownUs, stored.trials,
                       stored.leastUs);
}

} // namespace convoy::service
