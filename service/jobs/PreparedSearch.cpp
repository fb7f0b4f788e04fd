// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/PreparedSearch.h"
#include "Pipeline/TargetOptions.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::service {
namespace {

using namespace tuning;

llvm::Expected<ModelTask> taskOf(const TaskSpec &spec, const targets::Target &target) {
  ModelTask task;
  task.task = {spec.text(), spec.name()};
  task.count = spec.count();
  task.weight = spec.weight();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task.task, &context);
  if (!module) {
    return module.takeError();
  }
  SpaceOptions options;
  options.machine = machineOf(target);
  options.isStrictMath = module->settings.isStrictMath;
  llvm::Expected<TaskSpace> space = spaceOf(module->kernel(), options);
  if (!space) {
    return space.takeError();
  }
  task.space = std::move(*space);
  return task;
}

JobSearchOptions optionsOf(const JobSpec &spec) {
  JobSearchOptions options;
  options.searcher = spec.searcher();
  options.seed = spec.seed();
  options.batch = static_cast<size_t>(spec.batch());
  options.trials = spec.max_trials();
  return options;
}

/// Groups the stored trials to rounds. An error means that this compiler has another space than the
/// process that proposed them.
llvm::Expected<std::vector<SearchRound>> roundsOf(llvm::ArrayRef<store::TrialRow> trials,
                                                  llvm::ArrayRef<ModelTask> tasks) {
  std::vector<SearchRound> rounds;
  for (const store::TrialRow &trial : trials) {
    auto index = static_cast<size_t>(trial.task);
    const SpaceEntry *entry =
        index < tasks.size() ? tasks[index].space.find(trial.configuration) : nullptr;
    if (!entry) {
      return llvm::createStringError("the stored trial " + trial.id.text() +
                                     " is not in the space of this compiler; create the job again");
    }
    if (rounds.empty() || rounds.back().number != trial.id.round) {
      rounds.push_back({trial.id.round, index, {}});
    }
    rounds.back().entries.push_back(static_cast<size_t>(entry - tasks[index].space.entries.data()));
  }
  return rounds;
}

llvm::Error restore(JobSearch &search, llvm::ArrayRef<ModelTask> tasks,
                    llvm::ArrayRef<store::TrialRow> trials) {
  llvm::Expected<std::vector<SearchRound>> rounds = roundsOf(trials, tasks);
  if (!rounds) {
    return rounds.takeError();
  }
  for (const SearchRound &round : *rounds) {
    search.restore(round);
  }
  for (const store::TrialRow &trial : trials) {
    if (trial.result) {
      search.complete(trial.id.round, static_cast<size_t>(trial.id.place),
                      secondsOf(*trial.result));
    }
  }
  return llvm::Error::success();
}

} // namespace

std::optional<double> secondsOf(const store::TrialResult &result) {
  double ns = result.outcome == Outcome::Ok ? medianNs(result.samples) : 0;
  return ns > 0 ? std::optional(ns * 1e-9) : std::nullopt;
}

llvm::Expected<std::unique_ptr<PreparedSearch>>
prepareSearch(const JobSpec &spec, const targets::Target &target,
              llvm::ArrayRef<store::TrialRow> trials) {
  auto prepared = std::make_unique<PreparedSearch>();
  for (const TaskSpec &one : spec.tasks()) {
    llvm::Expected<ModelTask> task = taskOf(one, target);
    if (!task) {
      return llvm::createStringError("task '" + one.name() +
                                     "': " + llvm::toString(task.takeError()));
    }
    prepared->shared.push_back(std::make_shared<layout::Task>(task->task));
    prepared->tasks.push_back(std::move(*task));
  }
  llvm::Expected<JobSearch> search = JobSearch::create(prepared->tasks, optionsOf(spec));
  if (!search) {
    return search.takeError();
  }
  prepared->search.emplace(std::move(*search));
  if (llvm::Error error = restore(*prepared->search, prepared->tasks, trials)) {
    return std::move(error);
  }
  return prepared;
}

} // namespace convoy::service
