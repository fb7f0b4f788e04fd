// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports records of other machines. Their times are not trusted: the fastest configurations of
// each task are measured again by a job whose rounds are fixed.

#include "Layout/Spaces.h"
#include "service/api/MessageDefaults.h"
#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"
#include "service/jobs/StoreAnswers.h"

namespace convoy::service {
namespace {

constexpr size_t kConfirmed = 3; // configurations of a task that are measured again

/// The successful records of one target, fastest first, by task text.
using ByTask = std::map<std::string, std::multimap<double, tuning::Configuration>>;

/// Returns the fastest different configurations.
std::vector<tuning::Configuration>
fastest(const std::multimap<double, tuning::Configuration> &ranked) {
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

/// Returns whether this compiler has the template in the version of a configuration.
bool isCurrent(const tuning::Configuration &configuration) {
  return llvm::any_of(layout::templateVersions(), [&](const layout::TemplateVersion &known) {
    return known.id == configuration.templateId && known.version == configuration.templateVersion;
  });
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
        spec ? targets::parseTarget(spec->target(), row.id)
             : llvm::Expected<targets::Target>(spec.takeError());
    if (!target) {
      llvm::consumeError(target.takeError()); // of an older program
      continue;
    }
    known[target->fingerprint()] = {spec->target(), spec->target_class(), spec->threads()};
  }
  return known;
}

llvm::Error JobLoop::addConfirmation(const JobSpec &spec,
                                     llvm::ArrayRef<std::vector<tuning::Configuration>> rounds) {
  llvm::Expected<JobNumber> number = admit(spec, /*doneTrials=*/0);
  if (!number) {
    return number.takeError();
  }
  store::JobRow row = newRow(spec);
  row.reason = "confirms imported records";
  std::vector<store::TrialRow> trials;
  for (size_t i = 0; i < rounds.size(); ++i) {
    for (size_t place = 0; place < rounds[i].size(); ++place) {
      store::TrialRow trial;
      trial.id = {row.id, static_cast<int64_t>(i), static_cast<int64_t>(place)};
      trial.task = static_cast<int64_t>(i);
      trial.configuration = rounds[i][place];
      trials.push_back(std::move(trial));
    }
  }
  llvm::Expected<store::CreatedJob> created = database.createJob(row, taskRows(row.id, spec));
  llvm::Error error = created.takeError();
  if (!error) {
    error = database.addTrials(trials);
  }
  if (!error) {
    return restore(created->job, *number);
  }
  scheduler.remove(*number, now());
  // Without its trials, the job would be a search.
  llvm::consumeError(
      database.setJobState(row.id, name(JobState::FAILED), "the import was not completed"));
  return error;
}

llvm::Expected<ImportResult> JobLoop::importRecords(const std::string &project,
                                                    llvm::ArrayRef<tuning::Record> records) {
  llvm::Expected<std::map<std::string, KnownTarget>> known = knownTargets();
  if (!known) {
    return toApiError(known.takeError());
  }
  std::map<std::string, ByTask> byTarget;
  for (const tuning::Record &record : records) {
    if (record.outcome == tuning::Outcome::Ok && isCurrent(record.configuration)) {
      byTarget[record.target][record.taskText].emplace(tuning::medianNs(record.samples),
                                                       record.configuration);
    }
  }
  for (const auto &[fingerprint, byTask] : byTarget) {
    if (known->count(fingerprint) == 0) {
      return apiError(
          ErrorCode::Invalid,
          "the records are for the target " + fingerprint.substr(0, 12) +
              ", for which this service has had no job; create a job first, so that the "
              "service knows which devices have this target");
    }
  }
  ImportResult result;
  for (const auto &[fingerprint, byTask] : byTarget) {
    const KnownTarget &target = known->find(fingerprint)->second;
    auto spec = withDefaults<JobSpec>();
    spec.set_project(project);
    spec.set_target_class(target.deviceClass);
    spec.set_target(target.json);
    spec.set_threads(target.threads);
    spec.set_batch(kConfirmed);
    std::vector<std::vector<tuning::Configuration>> rounds;
    for (const auto &[text, ranked] : byTask) {
      rounds.push_back(fastest(ranked));
      auto task = withDefaults<TaskSpec>();
      task.set_name("task " + tuning::taskHash(text).substr(0, 12));
      task.set_text(text);
      *spec.add_tasks() = std::move(task);
      spec.set_max_trials(spec.max_trials() + static_cast<int64_t>(rounds.back().size()));
    }
    if (llvm::Error error = addConfirmation(spec, rounds)) {
      return toApiError(std::move(error));
    }
    result.set_remeasured(result.remeasured() + spec.max_trials());
  }
  return result;
}

} // namespace convoy::service
