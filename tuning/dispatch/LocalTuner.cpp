// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the search. LocalRaces.cpp runs the races after it.

#include "tuning/dispatch/LocalTuner.h"
#include "Support/MonotonicClock.h"

namespace convoy::tuning {
namespace {

/// The longest time without a look at the budget.
constexpr double kWaitSeconds = 0.25;

} // namespace

LocalTuner::LocalTuner(const ModelTasks &tasks, const TuningSetup &setup,
                       const TuningBudget &budget, Measurer &measurer, RecordStore &store,
                       double modelSeconds)
    : tasks(tasks), setup(setup), budget(budget), measurer(measurer), store(store),
      modelSeconds(modelSeconds), target(std::make_shared<targets::Target>(setup.target)) {
  for (const ModelTask &task : tasks.tasks) {
    sharedTasks.push_back(std::make_shared<layout::Task>(task.task));
  }
}

llvm::Error LocalTuner::prepare() {
  std::vector<Record> records;
  std::string fingerprint = setup.target.fingerprint();
  llvm::Error error = store.forEach([&](Record &&record) {
    if (record.target == fingerprint && record.policy == name(setup.plan.policy)) {
      records.push_back(std::move(record));
    }
  });
  if (error) {
    return error;
  }
  for (size_t skipped = 0;; ++skipped) {
    llvm::Expected<bool> fits = begin(records, skipped);
    if (!fits) {
      return fits.takeError();
    }
    if (*fits) {
      break;
    }
  }
  summarize();
  return llvm::Error::success();
}

llvm::Expected<bool> LocalTuner::begin(llvm::ArrayRef<Record> records, size_t skipped) {
  JobSearchOptions options = setup.search;
  std::string description =
      describeSearch(tasks.tasks, options, setup.target.fingerprint(), name(setup.plan.policy));
  if (!setup.continues) {
    description += newTrialId();
  }
  saved = SavedSearch::find(records, description, options.trials, skipped);
  std::map<std::string, std::vector<Record>> others = saved.prior;
  for (const ModelTask &task : tasks.tasks) {
    others.erase(task.task.text);
  }
  for (const auto &[text, list] : others) {
    if (options.experience) {
      options.experience->learn(text, list); // measured for other models
    }
  }
  llvm::Expected<JobSearch> created = JobSearch::create(tasks.tasks, options);
  if (!created) {
    return created.takeError();
  }
  search.emplace(std::move(*created));
  results.clear();
  unstarted.clear();
  missing.clear();
  for (auto [i, task] : llvm::enumerate(tasks.tasks)) {
    const std::vector<Record> &prior = saved.prior[task.task.text];
    search->know(i, trialsOf(task.space, prior));
    results.emplace_back(task).add(prior);
  }
  if (!saved.restore(*search, tasks.tasks, options)) {
    return false;
  }
  for (const auto &[id, record] : saved.own) {
    for (TaskResults &result : results) {
      if (result.task().task.text == record.taskText) {
        result.add(record);
      }
    }
  }
  return proposeRounds();
}

double LocalTuner::clock() const { return monotonicSeconds() - measurer.waitedSeconds(); }

bool LocalTuner::hasBudget() const {
  return !state.isTargetReached && !budget.isInterrupted() &&
         (budget.seconds == 0 || state.seconds < budget.seconds);
}

Record LocalTuner::newRecord(size_t task, size_t entry, std::string id) const {
  Record record;
  record.trial = std::move(id);
  record.taskText = tasks.tasks[task].task.text;
  record.target = setup.target.fingerprint();
  record.policy = name(setup.plan.policy).str();
  record.configuration = tasks.tasks[task].space.entries[entry].configuration;
  record.compiler = compilerVersion().str();
  record.unixUs = unixMicroseconds();
  return record;
}

TrialWork LocalTuner::workFor(const Record &record, size_t task) const {
  TrialWork work;
  work.trial = record.trial;
  work.task = sharedTasks[task];
  work.target = target;
  work.configuration = record.configuration;
  work.plan = setup.plan;
  return work;
}

bool LocalTuner::proposeRounds() {
  while (std::optional<SearchRound> round = search->propose()) {
    for (size_t place = 0; place < round->entries.size(); ++place) {
      size_t entry = round->entries[place];
      Pending trial{*round, place, {}, {}};
      trial.record = newRecord(
          round->task, entry,
          trialIdOf(saved.id, static_cast<uint32_t>(round->number), static_cast<uint32_t>(place)));
      auto stored = saved.own.find(trial.record.trial);
      if (stored == saved.own.end()) {
        trial.work = workFor(trial.record, round->task);
        unstarted.push_back(std::move(trial));
        ++missing[round->number];
      } else if (stored->second.configuration == trial.record.configuration) {
        search->complete(round->number, place, secondsOf(stored->second));
      } else {
        return false;
      }
    }
  }
  return true;
}

llvm::Error LocalTuner::startTrials() {
  for (; !unstarted.empty(); unstarted.pop_front()) {
    Pending &trial = unstarted.front();
    if (llvm::Error error = dispatcher->build(trial.work)) {
      return error;
    }
    pending[trial.work.trial] = std::move(trial);
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<LocalTuner::Pending>>
LocalTuner::advance(const Completion &completion) {
  auto found = pending.find(completion.trial);
  if (found == pending.end() || completion.isLost) {
    return std::nullopt; // a continued search runs a lost trial again
  }
  Record &record = found->second.record;
  bool isBuild = completion.stage == WorkStage::Build;
  (isBuild ? state.buildSeconds : state.measureSeconds) += completion.seconds;
  if (isBuild && completion.outcome == Outcome::Ok) {
    record.artifact = completion.artifact;
    if (llvm::Error error = dispatcher->measure(found->second.work, completion.candidate)) {
      return std::move(error);
    }
    return std::nullopt;
  }
  record.outcome = completion.outcome;
  record.message = completion.message;
  record.samples = completion.measurement.samples;
  record.sentinelNs = completion.measurement.sentinelNs;
  record.unixUs = unixMicroseconds();
  std::optional<Pending> ended = std::move(found->second);
  pending.erase(found);
  return ended;
}

llvm::Error LocalTuner::take(llvm::ArrayRef<Completion> completions, const Report &report) {
  std::vector<Pending> ended;
  for (const Completion &completion : completions) {
    llvm::Expected<std::optional<Pending>> trial = advance(completion);
    if (!trial) {
      return trial.takeError();
    }
    if (*trial) {
      ended.push_back(std::move(**trial));
    }
  }
  return ended.empty() ? llvm::Error::success() : finish(ended, report);
}

llvm::Error LocalTuner::finish(llvm::ArrayRef<Pending> ended, const Report &report) {
  std::vector<Record> records;
  for (const Pending &trial : ended) {
    records.push_back(trial.record);
  }
  if (llvm::Error error = store.append(records).takeError()) {
    return error;
  }
  for (const Pending &trial : ended) {
    const SearchRound &round = trial.round;
    search->complete(round.number, trial.place, secondsOf(trial.record));
    results[round.task].add(round.entries[trial.place], trial.record);
    ++state.trials;
    state.failed += trial.record.outcome != Outcome::Ok;
    state.seconds = state.searchSeconds = clock() - start;
    if (--missing[round.number] == 0) {
      state.task = tasks.tasks[round.task].task.name;
      summarize();
      report(state);
    }
  }
  return llvm::Error::success();
}

llvm::Error LocalTuner::searchAll(const Report &report) {
  while (hasBudget()) {
    if (llvm::Error error = startTrials()) {
      return error;
    }
    if (pending.empty()) {
      break;
    }
    llvm::Expected<std::vector<Completion>> completions = dispatcher->wait(kWaitSeconds);
    if (!completions) {
      return completions.takeError();
    }
    if (llvm::Error error = take(*completions, report)) {
      return error;
    }
    state.seconds = clock() - start;
    proposeRounds();
  }
  // Keeps the result of the measurement that is running.
  dispatcher->cancel("");
  llvm::Expected<std::vector<Completion>> last = dispatcher->wait(0);
  if (!last) {
    return last.takeError();
  }
  llvm::erase_if(*last, [](const Completion &one) { return one.stage == WorkStage::Build; });
  return take(*last, report);
}

void LocalTuner::summarize() {
  state.defaultSeconds = state.bestSeconds = 0;
  state.tasksTried = 0;
  for (const TaskResults &result : results) {
    auto count = static_cast<double>(result.task().count);
    state.tasksTried += result.tried() > 0;
    if (result.defaultSeconds() > 0) {
      state.defaultSeconds += count * result.defaultSeconds();
      state.bestSeconds += count * result.bestSeconds();
    }
  }
  if (modelSeconds > 0) {
    state.estimateSeconds =
        std::max(modelSeconds - (state.defaultSeconds - state.bestSeconds), 0.0);
    state.isTargetReached =
        budget.targetSeconds > 0 && state.estimateSeconds <= budget.targetSeconds;
  }
}

llvm::Expected<TuningState> LocalTuner::run(const Report &report) {
  if (llvm::Error error = prepare()) {
    return std::move(error);
  }
  LocalDispatcherOptions options;
  options.target = setup.target;
  options.folder = setup.folder;
  options.cpus = setup.buildCpus;
  options.isEmulated = setup.plan.policy == Policy::Instructions;
  dispatcher = std::make_unique<LocalDispatcher>(measurer, options);
  state.builders = setup.buildCpus.size();
  start = clock();
  if (llvm::Error error = searchAll(report)) {
    return std::move(error);
  }
  state.searchSeconds = clock() - start;
  if (llvm::Error error = raceAll()) {
    return std::move(error);
  }
  dispatcher.reset();
  state.seconds = clock() - start;
  state.waitedSeconds = measurer.waitedSeconds();
  summarize();
  return state;
}

} // namespace convoy::tuning
