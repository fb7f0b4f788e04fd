// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies results late and in order: before the proposal of a round, the searchers know exactly the
// results that the look-ahead permits, also if more results have arrived.

#include "tuning/search/JobSearch.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::tuning {
namespace {

/// Returns the seed of a task's searcher.
uint64_t seedFor(uint64_t seed, const Task &task) {
  uint64_t key = 0;
  llvm::StringRef(task.key()).take_front(16).getAsInteger(16, key);
  return mixSeeds(seed, key);
}

} // namespace

JobSearch::JobSearch(llvm::ArrayRef<ModelTask> models, const JobSearchOptions &options)
    : options(options), experience(options.experience) {
  for (const ModelTask &model : models) {
    TaskSearch &task = tasks.emplace_back();
    task.model = &model;
    task.isProposed.resize(model.space.entries.size(), false);
    task.state.count = model.count;
    task.state.entries = model.space.entries.size();
  }
}

llvm::Expected<JobSearch> JobSearch::create(llvm::ArrayRef<ModelTask> tasks,
                                            const JobSearchOptions &options) {
  if (llvm::Error error = createSearcher(options.searcher, TaskSpace(), {}).takeError()) {
    return std::move(error);
  }
  return JobSearch(tasks, options);
}

void JobSearch::know(size_t task, llvm::ArrayRef<Trial> trials) {
  std::vector<Trial> valid;
  for (const Trial &trial : trials) {
    if (trial.entry < tasks[task].isProposed.size()) {
      valid.push_back(trial);
    }
  }
  for (const Trial &trial : valid) {
    markProposed(tasks[task], trial.entry);
    if (trial.seconds) {
      tasks[task].arrived[trial.entry] = *trial.seconds;
    }
  }
  if (!valid.empty()) {
    apply(task, valid);
  }
}

void JobSearch::markProposed(TaskSearch &task, size_t entry) {
  if (!task.isProposed[entry]) {
    task.isProposed[entry] = true;
    ++task.state.proposed;
  }
}

void JobSearch::apply(size_t index, llvm::ArrayRef<Trial> trials) {
  TaskSearch &task = tasks[index];
  double before = task.state.bestSeconds, after = before;
  for (const Trial &trial : trials) {
    if (!trial.seconds) {
      continue;
    }
    after = after == 0 ? *trial.seconds : std::min(after, *trial.seconds);
    if (experience) {
      experience->learn(task.model->task.text, task.model->space.entries[trial.entry],
                        *trial.seconds);
    }
  }
  task.state.bestSeconds = after;
  task.state.lastGain = before == 0 ? 1 : 1 - after / before;
  if (task.searcher) {
    task.searcher->update(trials);
  } else {
    llvm::append_range(task.known, trials);
  }
}

bool JobSearch::isWhole(size_t round) const {
  return llvm::all_of(results[round], [](const Place &place) { return place.isComplete; });
}

bool JobSearch::applyBefore(size_t round) {
  for (; applied + options.lookAhead < round; ++applied) {
    if (!isWhole(applied)) {
      return false;
    }
    std::vector<Trial> trials;
    for (auto [entry, place] : llvm::zip(rounds[applied].entries, results[applied])) {
      trials.push_back({entry, place.seconds});
    }
    apply(rounds[applied].task, trials);
    --tasks[rounds[applied].task].state.roundsInFlight;
  }
  return true;
}

Searcher &JobSearch::searcherOf(TaskSearch &task) {
  if (!task.searcher) {
    SearchOptions own;
    own.seed = seedFor(options.seed, task.model->task);
    if (experience) {
      own.examples = experience->examplesFor(task.model->task.text);
    }
    task.searcher = llvm::cantFail(createSearcher(options.searcher, task.model->space, own));
    task.searcher->update(task.known);
    task.known.clear();
  }
  return *task.searcher;
}

void JobSearch::note(const SearchRound &round) {
  TaskSearch &task = tasks[round.task];
  for (size_t entry : round.entries) {
    markProposed(task, entry);
  }
  ++task.state.roundsInFlight;
  ++noted;
}

bool JobSearch::catchUp() {
  while (noted < rounds.size()) {
    if (!applyBefore(noted)) {
      return false;
    }
    const SearchRound &round = rounds[noted];
    searcherOf(tasks[round.task]).restore(round.entries);
    note(round);
  }
  return true;
}

bool JobSearch::hasLeft() const {
  return (options.trials == 0 || proposed < options.trials) &&
         llvm::any_of(tasks, [](const TaskSearch &task) {
           return task.state.proposed < task.state.entries;
         });
}

std::optional<SearchRound> JobSearch::propose() {
  if (!catchUp() || !hasLeft() || !applyBefore(rounds.size())) {
    return std::nullopt;
  }
  std::vector<TaskState> states;
  for (const TaskSearch &task : tasks) {
    states.push_back(task.state);
  }
  std::optional<size_t> chosen = policy.next(states);
  if (!chosen) {
    return std::nullopt;
  }
  size_t count = options.batch;
  if (options.trials > 0) {
    count = std::min(count, static_cast<size_t>(options.trials - proposed));
  }
  SearchRound round;
  round.number = static_cast<int64_t>(rounds.size());
  round.task = *chosen;
  round.entries = searcherOf(tasks[*chosen]).propose(count, round.number);
  proposed += static_cast<int64_t>(round.entries.size());
  rounds.push_back(round);
  results.emplace_back(round.entries.size());
  note(round);
  return round;
}

void JobSearch::restore(const SearchRound &round) {
  proposed += static_cast<int64_t>(round.entries.size());
  rounds.push_back(round);
  results.emplace_back(round.entries.size());
}

void JobSearch::complete(int64_t round, size_t place, std::optional<double> seconds) {
  Place &result = results[static_cast<size_t>(round)][place];
  if (result.isComplete) {
    return;
  }
  result = {true, seconds};
  ++completed;
  const SearchRound &of = rounds[static_cast<size_t>(round)];
  if (seconds) {
    tasks[of.task].arrived[of.entries[place]] = *seconds;
  }
}

bool JobSearch::isFinished() const {
  return completed == proposed && noted == rounds.size() && !hasLeft();
}

std::optional<size_t> JobSearch::bestEntry(size_t task) const {
  std::optional<std::pair<double, size_t>> best;
  for (auto [entry, seconds] : tasks[task].arrived) {
    if (!best || std::pair(seconds, entry) < *best) {
      best = {seconds, entry};
    }
  }
  return best ? std::optional(best->second) : std::nullopt;
}

double JobSearch::bestSeconds(size_t task) const {
  std::optional<size_t> best = bestEntry(task);
  return best ? tasks[task].arrived.at(*best) : 0;
}

double JobSearch::defaultSeconds(size_t task) const {
  auto found = tasks[task].arrived.find(0);
  return found == tasks[task].arrived.end() ? 0 : found->second;
}

} // namespace convoy::tuning
