// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the races after a search. The candidates of the next race are built during a race.

#include "tuning/dispatch/LocalTuner.h"
#include "tuning/measure/Race.h"

namespace convoy::tuning {

llvm::Expected<std::vector<LocalTuner::Pending>> LocalTuner::startRace(size_t task) {
  std::vector<Pending> racers;
  std::vector<size_t> entries = results[task].leaders(budget.leaders);
  if (entries.size() < 2) {
    return racers;
  }
  for (auto [place, entry] : llvm::enumerate(entries)) {
    Pending racer;
    racer.round.task = task;
    racer.round.entries = {entry};
    racer.record = newRecord(task, entry, raceIdOf(saved.id, task, place));
    racer.work = workFor(racer.record, task);
    if (llvm::Error error = dispatcher->build(racer.work)) {
      return std::move(error);
    }
    racers.push_back(std::move(racer));
  }
  return racers;
}

llvm::Error LocalTuner::awaitBuilds(llvm::ArrayRef<Pending> racers) {
  auto isBuilt = [&](const Pending &racer) { return built.count(racer.work.trial) > 0; };
  while (!budget.isInterrupted() && !llvm::all_of(racers, isBuilt)) {
    llvm::Expected<std::vector<Completion>> completions = dispatcher->wait(1);
    if (!completions) {
      return completions.takeError();
    }
    for (Completion &completion : *completions) {
      built[completion.trial] = std::move(completion);
    }
  }
  return llvm::Error::success();
}

llvm::Error LocalTuner::runRace(std::vector<Pending> racers) {
  llvm::erase_if(
      racers, [&](const Pending &racer) { return built[racer.work.trial].outcome != Outcome::Ok; });
  std::vector<RunnableCandidate> candidates;
  for (const Pending &racer : racers) {
    candidates.push_back(built[racer.work.trial].candidate);
  }
  RaceOptions options;
  options.plan = setup.plan;
  llvm::Expected<RaceResult> result = race(measurer, candidates, options);
  if (!result && result.errorIsA<WaitCanceled>()) {
    llvm::consumeError(result.takeError());
    return llvm::Error::success(); // the user has interrupted the race
  }
  if (!result) {
    return result.takeError();
  }
  std::vector<Record> records;
  for (auto [racer, measurement] : llvm::zip(racers, result->measurements)) {
    Record &record = racer.record;
    record.artifact = built[racer.work.trial].artifact;
    record.outcome = measurement.outcome;
    record.message = measurement.message;
    record.samples = measurement.samples;
    record.unixUs = unixMicroseconds();
    records.push_back(record);
    results[racer.round.task].add(racer.round.entries.front(), record);
  }
  return store.append(records).takeError();
}

llvm::Error LocalTuner::raceAll() {
  double begin = clock();
  std::vector<std::pair<double, size_t>> order;
  for (auto [i, result] : llvm::enumerate(results)) {
    order.emplace_back(-result.bestSeconds() * static_cast<double>(result.task().count), i);
  }
  llvm::sort(order);
  std::vector<Pending> next;
  for (size_t i = 0; i <= order.size(); ++i) {
    bool isLate = budget.raceSeconds > 0 && clock() - begin > budget.raceSeconds;
    if (isLate || budget.isInterrupted()) {
      break;
    }
    std::vector<Pending> racers = std::exchange(next, {});
    if (i < order.size()) {
      llvm::Expected<std::vector<Pending>> following = startRace(order[i].second);
      if (!following) {
        return following.takeError();
      }
      next = std::move(*following);
    }
    if (llvm::Error error = awaitBuilds(racers)) {
      return error;
    }
    if (budget.isInterrupted()) {
      break;
    }
    if (racers.empty()) {
      continue;
    }
    if (llvm::Error error = runRace(std::move(racers))) {
      return error;
    }
  }
  return llvm::Error::success();
}

} // namespace convoy::tuning
