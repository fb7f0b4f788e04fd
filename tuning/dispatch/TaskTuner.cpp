// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/dispatch/TaskTuner.h"
#include "Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace convoy::tuning {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

std::string hashOfFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file ? sha256((*file)->getBuffer()) : "";
}

} // namespace

llvm::StringRef compilerVersion() { return "convoy " CONVOY_VERSION; }

llvm::Expected<TaskTuner> TaskTuner::create(const ModelTask &task, const TuningSetup &setup) {
  TaskTuner tuner(task, setup);
  // Report an unknown searcher before any measurement.
  if (llvm::Error error = createSearcher(setup.searcher, task.space, {}).takeError()) {
    return std::move(error);
  }
  tuner.isExhausted = task.space.entries.empty();
  return tuner;
}

void TaskTuner::beginSearch() {
  SearchOptions options;
  options.seed = setup->seed;
  if (setup->experience) {
    options.examples = setup->experience->examplesFor(model->task.text);
  }
  searcher = llvm::cantFail(createSearcher(setup->searcher, model->space, options));
  searcher->update(known);
  known.clear();
}

PendingTrial TaskTuner::newTrial(size_t entry) const {
  PendingTrial trial;
  trial.entry = entry;
  trial.record.trial = newTrialId();
  trial.record.taskText = model->task.text;
  trial.record.target = setup->target.fingerprint();
  trial.record.policy = name(setup->plan.policy).str();
  trial.record.configuration = model->space.entries[entry].configuration;
  trial.record.compiler = compilerVersion().str();
  trial.record.unixUs = unixMicroseconds();
  return trial;
}

std::vector<PendingTrial> TaskTuner::propose(size_t count) {
  if (!searcher) {
    beginSearch();
  }
  std::vector<PendingTrial> trials;
  for (size_t entry : searcher->propose(count, batches)) {
    trials.push_back(newTrial(entry));
  }
  isExhausted = trials.empty();
  return trials;
}

llvm::Error TaskTuner::makeData() {
  if (data) {
    return llvm::Error::success();
  }
  if (llvm::Error error = createFolder(folder())) {
    return error;
  }
  llvm::Expected<TaskData> made = TaskData::compute(model->task, folder());
  if (!made) {
    return made.takeError();
  }
  data = std::move(*made);
  return llvm::Error::success();
}

llvm::Error TaskTuner::build(llvm::MutableArrayRef<PendingTrial> trials) {
  if (llvm::Error error = makeData()) {
    return error;
  }
  std::vector<BuildRequest> requests;
  for (const PendingTrial &trial : trials) {
    requests.push_back({model->task, trial.record.configuration});
  }
  BatchOptions options;
  options.build = {setup->target, folder()};
  options.processes = setup->jobs;
  std::string prefix = "batch" + std::to_string(batches++) + "_";
  for (auto [trial, result] : llvm::zip(trials, buildBatch(requests, options, prefix))) {
    if (!result.isBuilt()) {
      trial.record.outcome = Outcome::BuildError;
      trial.record.message = result.problem + ": " + result.message;
      continue;
    }
    llvm::Expected<Candidate> candidate =
        data->candidateOf(trial.record.configuration, result.candidate);
    if (!candidate) {
      return candidate.takeError();
    }
    trial.record.artefact = hashOfFile(candidate->library);
    trial.candidate = std::move(*candidate);
  }
  return llvm::Error::success();
}

llvm::Error TaskTuner::measure(llvm::MutableArrayRef<PendingTrial> trials, Measurer &measurer) {
  std::vector<Candidate> candidates;
  std::vector<PendingTrial *> of;
  for (PendingTrial &trial : trials) {
    if (trial.candidate) {
      candidates.push_back(*trial.candidate);
      of.push_back(&trial);
    }
  }
  if (candidates.empty()) {
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<Measurement>> results = measurer.measure(candidates, setup->plan);
  if (!results) {
    return results.takeError();
  }
  for (auto [trial, result] : llvm::zip(of, *results)) {
    trial->record.outcome = result.outcome;
    trial->record.message = result.message;
    trial->record.samples = result.samples;
    trial->record.sentinelNs = result.sentinelNs;
    trial->record.unixUs = unixMicroseconds();
  }
  return llvm::Error::success();
}

void TaskTuner::update(llvm::ArrayRef<PendingTrial> trials) {
  double before = bestSeconds();
  std::vector<Trial> told;
  for (const PendingTrial &trial : trials) {
    bool isOk = trial.record.outcome == Outcome::Ok && !trial.record.samples.empty();
    double ns = isOk ? medianNs(trial.record.samples) : 0;
    // A race on a busy machine does not replace earlier measurements.
    bool isNoise = trial.record.outcome == Outcome::TimeOut && seconds.count(trial.entry) > 0;
    if (!isNoise) {
      seconds[trial.entry] = isOk ? ns * 1e-9 : kFailed;
    }
    told.push_back({trial.entry, isOk ? std::optional(ns * 1e-9) : std::nullopt});
  }
  for (const Trial &trial : told) {
    if (setup->experience && trial.seconds) {
      setup->experience->learn(model->task.text, model->space.entries[trial.entry], *trial.seconds);
    }
  }
  if (searcher) {
    searcher->update(told);
  } else {
    llvm::append_range(known, told);
  }
  double after = bestSeconds();
  gain = before == 0 ? 1 : after > 0 ? 1 - after / before : 0;
}

void TaskTuner::resume(llvm::ArrayRef<Record> records) {
  std::vector<PendingTrial> known;
  for (const Record &record : records) {
    const SpaceEntry *entry = model->space.find(record.configuration);
    if (entry) {
      PendingTrial trial;
      trial.entry = static_cast<size_t>(entry - model->space.entries.data());
      trial.record = record;
      known.push_back(std::move(trial));
    }
  }
  if (!known.empty()) {
    update(known);
  }
}

std::vector<PendingTrial> TaskTuner::leaders(size_t count) {
  std::vector<std::pair<double, size_t>> ranked;
  for (auto [entry, time] : seconds) {
    if (time != kFailed) {
      ranked.emplace_back(time, entry);
    }
  }
  llvm::sort(ranked);
  auto own = llvm::find_if(ranked, [](const auto &place) { return place.second == 0; });
  if (own != ranked.end()) {
    std::rotate(ranked.begin(), own, own + 1);
  }
  std::vector<PendingTrial> result;
  for (size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    result.push_back(newTrial(ranked[i].second));
  }
  return result;
}

double TaskTuner::bestSeconds() const {
  double best = kFailed;
  for (auto [entry, time] : seconds) {
    best = std::min(best, time);
  }
  return best == kFailed ? 0 : best;
}

double TaskTuner::defaultSeconds() const {
  auto first = seconds.find(0);
  return first == seconds.end() || first->second == kFailed ? 0 : first->second;
}

} // namespace convoy::tuning
