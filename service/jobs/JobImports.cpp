// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports records of other machines. Their times are not trusted: the fastest configurations of
// each task are measured again by a job whose rounds are fixed.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"

namespace convoy::service {
namespace {

constexpr size_t kConfirmed = 3; // configurations of a task that are measured again

/// The successful records of one target, fastest first, by task text.
using ByTask = std::map<std::string, std::map<double, tuning::Configuration>>;

/// Returns the fastest different configurations.
std::vector<tuning::Configuration> fastest(const std::map<double, tuning::Configuration> &ranked) {
  std::vector<tuning::Configuration> result;
  for (const auto &[ns, configuration] : ranked) {
    if (!llvm::is_contained(result, configuration)) {
      result.push_back(configuration);
    }
    if (result.size() == kConfirmed) {
      break;
    }
  }
  return result;
}

} // namespace

llvm::Expected<std::map<std::string, JobLoop::KnownTarget>> JobLoop::knownTargets() const {
  llvm::Expected<std::vector<store::JobRow>> rows = database.jobs();
  if (!rows) {
    return rows.takeError();
  }
  std::map<std::string, KnownTarget> known;
  for (const store::JobRow &row : *rows) {
    llvm::Expected<JobSpec> spec = specOf(row);
    llvm::Expected<targets::Target> target =
        spec ? targets::parseTarget(spec->target, row.id)
             : llvm::Expected<targets::Target>(spec.takeError());
    if (!target) {
      return target.takeError();
    }
    known[target->fingerprint()] = {spec->target, spec->targetClass, spec->threads};
  }
  return known;
}

llvm::Error JobLoop::addConfirmation(const JobSpec &spec,
                                     llvm::ArrayRef<std::vector<tuning::Configuration>> rounds) {
  store::JobRow row;
  row.id = newJobId();
  row.project = spec.project;
  row.spec = toText(spec);
  row.state = name(JobState::Queued).str();
  row.reason = "confirms imported records";
  std::vector<store::TaskRow> tasks;
  std::vector<store::TrialRow> trials;
  for (size_t i = 0; i < rounds.size(); ++i) {
    auto index = static_cast<int64_t>(i);
    tasks.push_back({row.id, index, spec.tasks[i].name, spec.tasks[i].text, 1, 0});
    for (size_t place = 0; place < rounds[i].size(); ++place) {
      store::TrialRow trial;
      trial.id = {row.id, index, static_cast<int64_t>(place)};
      trial.task = index;
      trial.configuration = rounds[i][place];
      trials.push_back(std::move(trial));
    }
  }
  llvm::Expected<store::CreatedJob> created = database.createJob(row, tasks);
  if (!created) {
    return created.takeError();
  }
  if (llvm::Error error = database.addTrials(trials)) {
    return error;
  }
  return restore(created->job);
}

llvm::Expected<ImportResult> JobLoop::importRecords(const std::string &project,
                                                    llvm::ArrayRef<tuning::Record> records) {
  llvm::Expected<std::map<std::string, KnownTarget>> known = knownTargets();
  if (!known) {
    return known.takeError();
  }
  std::map<std::string, ByTask> byTarget;
  for (const tuning::Record &record : records) {
    if (record.outcome == tuning::Outcome::Ok) {
      byTarget[record.target][record.taskText].emplace(tuning::medianNs(record.samples),
                                                       record.configuration);
    }
  }
  ImportResult result;
  for (const auto &[fingerprint, byTask] : byTarget) {
    auto target = known->find(fingerprint);
    if (target == known->end()) {
      return apiError(ErrorCode::Invalid,
                      "the records are for the target " + fingerprint.substr(0, 12) +
                          ", for which this service has had no job; create one first, so that the "
                          "service knows which devices have this target");
    }
    JobSpec spec;
    spec.project = project;
    spec.targetClass = target->second.deviceClass;
    spec.target = target->second.json;
    spec.threads = target->second.threads;
    spec.batch = kConfirmed;
    std::vector<std::vector<tuning::Configuration>> rounds;
    for (const auto &[text, ranked] : byTask) {
      rounds.push_back(fastest(ranked));
      spec.tasks.push_back({"task " + tuning::taskHash(text).substr(0, 12), text, 1, 0});
      spec.maxTrials += static_cast<int64_t>(rounds.back().size());
    }
    if (llvm::Error error = addConfirmation(spec, rounds)) {
      return std::move(error);
    }
    result.remeasured += spec.maxTrials;
  }
  return result;
}

} // namespace convoy::service
