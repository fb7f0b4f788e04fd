// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/dispatch/LocalTuner.h"
#include "tuning/measure/Race.h"
#include <chrono>

namespace convoy::tuning {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

std::optional<size_t> BatchGainPolicy::next(llvm::ArrayRef<TaskTuner> tuners) {
  std::optional<size_t> best;
  double bestScore = -1;
  for (auto [i, tuner] : llvm::enumerate(tuners)) {
    if (tuner.isDone()) {
      continue;
    }
    if (tuner.trialCount() == 0) {
      return i;
    }
    // A task without a gain in its last batch keeps a chance that decreases with its trials.
    double chance = std::max(tuner.lastGain(), 1.0 / static_cast<double>(2 + tuner.trialCount()));
    double score = tuner.bestSeconds() * static_cast<double>(tuner.task().count) * chance;
    if (score > bestScore) {
      bestScore = score;
      best = i;
    }
  }
  return best;
}

llvm::Error LocalTuner::prepare() {
  std::map<std::string, std::vector<Record>> known;
  std::string target = setup.target.fingerprint();
  llvm::Error error = store.forEach([&](Record &&record) {
    if (record.target == target && record.policy == name(setup.plan.policy)) {
      known[record.taskText].push_back(std::move(record));
    }
  });
  if (error) {
    return error;
  }
  for (const ModelTask &task : tasks.tasks) {
    llvm::Expected<TaskTuner> tuner = TaskTuner::create(task, setup);
    if (!tuner) {
      return tuner.takeError();
    }
    tuner->resume(known[task.task.text]);
    known.erase(task.task.text);
    tuners.push_back(std::move(*tuner));
  }
  // The remaining records were measured for other models.
  for (const auto &[text, records] : known) {
    if (setup.experience) {
      setup.experience->learn(text, records);
    }
  }
  summarize();
  return llvm::Error::success();
}

double LocalTuner::clock() const { return now() - measurer.waitedSeconds(); }

bool LocalTuner::hasBudget() const {
  return !state.isTargetReached && !budget.isInterrupted() &&
         (budget.trials == 0 || state.trials < budget.trials) &&
         (budget.seconds == 0 || state.seconds < budget.seconds);
}

llvm::Error LocalTuner::keep(llvm::ArrayRef<PendingTrial> trials) {
  std::vector<Record> records;
  for (const PendingTrial &trial : trials) {
    records.push_back(trial.record);
  }
  return store.append(records).takeError();
}

llvm::Error LocalTuner::runBatch(TaskTuner &tuner) {
  size_t count = budget.batch;
  if (budget.trials > 0) {
    count = std::min(count, static_cast<size_t>(budget.trials - state.trials));
  }
  std::vector<PendingTrial> trials = tuner.propose(count);
  if (trials.empty()) {
    return llvm::Error::success();
  }
  double begin = clock();
  if (llvm::Error error = tuner.build(trials)) {
    return error;
  }
  double built = clock();
  if (llvm::Error error = tuner.measure(trials, measurer)) {
    return error;
  }
  state.buildSeconds += built - begin;
  state.measureSeconds += clock() - built;
  if (llvm::Error error = keep(trials)) {
    return error;
  }
  tuner.update(trials);
  state.trials += static_cast<int64_t>(trials.size());
  state.failed += llvm::count_if(
      trials, [](const PendingTrial &trial) { return trial.record.outcome != Outcome::Ok; });
  return llvm::Error::success();
}

llvm::Error LocalTuner::raceLeaders(TaskTuner &tuner) {
  std::vector<PendingTrial> trials = tuner.leaders(budget.leaders);
  if (trials.size() < 2) {
    return llvm::Error::success();
  }
  if (llvm::Error error = tuner.build(trials)) {
    return error;
  }
  llvm::erase_if(trials, [](const PendingTrial &trial) { return !trial.candidate; });
  std::vector<Candidate> candidates;
  for (const PendingTrial &trial : trials) {
    candidates.push_back(*trial.candidate);
  }
  RaceOptions options;
  options.plan = setup.plan;
  llvm::Expected<RaceResult> result = race(measurer, candidates, options);
  if (!result) {
    return result.takeError();
  }
  for (auto [trial, measurement] : llvm::zip(trials, result->measurements)) {
    trial.record.outcome = measurement.outcome;
    trial.record.message = measurement.message;
    trial.record.samples = measurement.samples;
  }
  if (llvm::Error error = keep(trials)) {
    return error;
  }
  tuner.update(trials);
  return llvm::Error::success();
}

llvm::Error LocalTuner::raceAll() {
  double start = clock();
  std::vector<std::pair<double, size_t>> order;
  for (auto [i, tuner] : llvm::enumerate(tuners)) {
    order.emplace_back(-tuner.bestSeconds() * static_cast<double>(tuner.task().count), i);
  }
  llvm::sort(order);
  for (auto [weight, i] : order) {
    bool isLate = budget.raceSeconds > 0 && clock() - start > budget.raceSeconds;
    if (isLate || budget.isInterrupted()) {
      break;
    }
    if (llvm::Error error = raceLeaders(tuners[i])) {
      return error;
    }
  }
  return llvm::Error::success();
}

void LocalTuner::summarize() {
  state.defaultSeconds = state.bestSeconds = 0;
  state.tasksTried = 0;
  for (const TaskTuner &tuner : tuners) {
    auto count = static_cast<double>(tuner.task().count);
    state.tasksTried += tuner.trialCount() > 0;
    if (tuner.defaultSeconds() > 0) {
      state.defaultSeconds += count * tuner.defaultSeconds();
      state.bestSeconds += count * tuner.bestSeconds();
    }
  }
  if (modelSeconds > 0) {
    state.estimateSeconds =
        std::max(modelSeconds - (state.defaultSeconds - state.bestSeconds), 0.0);
    state.isTargetReached =
        budget.targetSeconds > 0 && state.estimateSeconds <= budget.targetSeconds;
  }
}

llvm::Expected<TuningState> LocalTuner::run(BatchPolicy &policy, const Report &report) {
  if (llvm::Error error = prepare()) {
    return std::move(error);
  }
  double start = clock();
  while (hasBudget()) {
    std::optional<size_t> chosen = policy.next(tuners);
    if (!chosen) {
      break;
    }
    if (llvm::Error error = runBatch(tuners[*chosen])) {
      return std::move(error);
    }
    state.task = tuners[*chosen].task().task.name;
    state.seconds = state.searchSeconds = clock() - start;
    summarize();
    report(state);
  }
  if (llvm::Error error = raceAll()) {
    return std::move(error);
  }
  state.seconds = clock() - start;
  state.waitedSeconds = measurer.waitedSeconds();
  summarize();
  return state;
}

} // namespace convoy::tuning
