// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles each composition of records to a library and times two libraries alternately: A B A B.

#include "tuning/network/TunedNetwork.h"
#include "Driver/ResolveTarget.h"
#include "Support/MonotonicClock.h"
#include "Support/TemporaryFolder.h"
#include "tuning/dispatch/TaskResults.h"
#include "tuning/measure/PairSamples.h"
#include "tuning/network/OpenRecords.h"
#include "tuning/records/RecordMeasurements.h"
#include "llvm/Support/FileSystem.h"

namespace convoy::tuning {
namespace {

/// The samples of one round; the deadline is checked between rounds.
constexpr int kRoundSamples = 5;
constexpr double kSampleMs = 10;
/// The time limit while the time of one inference is not known.
constexpr double kFirstTimeoutMs = 300000;
/// The number of pairs that decide between two compositions, and of the final comparison.
constexpr size_t kTryPairs = 10, kLastPairs = 30;
/// The time of the final comparison if the deadline has passed.
constexpr double kLastSeconds = 5;
/// The least gain of a kernel in isolation. Smaller gains are often noise, and they cost reorders
/// if layouts differ.
constexpr double kMargins[] = {0.95, 0.85};
/// The number of tasks whose configurations are tried again inside the network.
constexpr size_t kTriedTasks = 8;
/// A second configuration that is slower in isolation by more than this is not tried.
constexpr double kCloseSecond = 1.05;

bool isWhole(const PassedOver &entry) { return !entry.configuration; }

} // namespace

TunedNetwork::TunedNetwork(const Model &model, const CompileRequest &request, std::string records,
                           const ModelTasks &tasks, std::string folder, Measurer &measurer,
                           Policy policy)
    : model(model), request(request), records(std::move(records)), tasks(tasks),
      folder(std::move(folder)), measurer(measurer), policy(policy) {}

llvm::Expected<NetworkCode> TunedNetwork::build(const std::string &name,
                                                const Composition *wanted) const {
  CompileRequest compile = request;
  compile.output.folder = inFolder(folder, name);
  compile.output.name = "network";
  return buildNetwork({&model, ""}, std::move(compile), target, folder,
                      [&](CompileRequest &own) -> llvm::Error {
                        if (!wanted) {
                          return llvm::Error::success();
                        }
                        Verdict verdict;
                        verdict.passedOver = *wanted;
                        auto opened = openRecords(records, own, std::move(verdict));
                        if (!opened) {
                          return opened.takeError();
                        }
                        own.measurements = std::move(*opened);
                        return llvm::Error::success();
                      });
}

void TunedNetwork::remove(const NetworkCode &built) const {
  // Libraries contain all weights, so remove them early. The folder is removed at the end.
  [[maybe_unused]] std::error_code error = llvm::sys::fs::remove(built.candidate.library);
}

llvm::Error TunedNetwork::prepare() {
  llvm::Expected<driver::ResolvedTarget> found =
      driver::resolveTarget(request.target, /*isForMemory=*/false);
  if (!found) {
    return found.takeError();
  }
  target = std::move(found->machine);
  int64_t wanted = request.schedule.threads;
  threads = static_cast<int>(wanted == 0 ? target.cores : wanted);
  llvm::Expected<NetworkCode> built = build("default", nullptr);
  if (!built) {
    return built.takeError();
  }
  byDefault = std::move(*built);
  MeasurePlan plan;
  plan.policy = isCounted() ? policy : Policy::Warm;
  plan.threads = threads;
  plan.sampleMs = kSampleMs;
  plan.timeoutMs = kFirstTimeoutMs;
  llvm::Expected<std::vector<Measurement>> measured = measurer.measure({byDefault.candidate}, plan);
  if (!measured) {
    return measured.takeError();
  }
  const Measurement &one = measured->front();
  if (one.samples.empty()) {
    return llvm::createStringError("cannot measure the network with the default configurations: " +
                                   one.message);
  }
  std::vector<double> times;
  for (const Sample &sample : one.samples) {
    times.push_back(sample.nsPerRun() * 1e-9);
  }
  seconds = one.ns() > 0 ? one.ns() * 1e-9 : timing::median(std::move(times));
  return llvm::Error::success();
}

llvm::Expected<TunedNetwork::Pairs> TunedNetwork::compare(const NetworkCode &before,
                                                          const NetworkCode &after, size_t wanted) {
  MeasurePlan plan;
  plan.policy = isCounted() ? policy : Policy::Warm;
  plan.threads = threads;
  plan.samples = kRoundSamples;
  plan.sampleMs = kSampleMs;
  plan.isInterleaved = true;
  // Covers loading, the first runs and a few repetitions of each sample.
  plan.timeoutMs = 30000 + kRoundSamples * 8 * std::max(2 * seconds * 1e3, kSampleMs);
  if (isCounted()) {
    plan.timeoutMs = kFirstTimeoutMs;
    wanted = 1; // all runs are equal
  }
  Pairs pairs;
  while (pairs.size() < wanted && (pairs.empty() || clock() < deadline)) {
    llvm::Expected<std::vector<Measurement>> measured =
        measurer.measure({before.candidate, after.candidate}, plan);
    if (!measured) {
      return measured.takeError();
    }
    for (const Measurement &one : *measured) {
      if (one.samples.empty() || one.outcome == Outcome::Crash) {
        return llvm::createStringError("cannot measure the network: " + one.message);
      }
    }
    addPairs(pairs, (*measured)[0], (*measured)[1], threads == 1);
    if (isCounted()) {
      result.beforeCycles = (*measured)[0].samples.back().cpuNs;
      result.afterCycles = (*measured)[1].samples.back().cpuNs;
    }
  }
  return pairs;
}

std::vector<std::string> TunedNetwork::heaviestTasks(const Snapshot &snapshot) const {
  std::vector<std::pair<double, std::string>> weights;
  for (const ModelTask &task : tasks.tasks) {
    std::string key = task.task.key();
    double least = 0;
    for (const RankedConfiguration &choice : snapshot.choices(key)) {
      least = least == 0 ? choice.ns : std::min(least, choice.ns);
    }
    if (least > 0) {
      weights.emplace_back(-least * static_cast<double>(task.count), key);
    }
  }
  llvm::sort(weights);
  std::vector<std::string> result;
  for (const auto &[weight, key] : weights) {
    result.push_back(key);
  }
  return result;
}

std::vector<TunedNetwork::Composition> TunedNetwork::alternatives(const Snapshot &snapshot,
                                                                  const std::string &task) const {
  auto isOfTask = [&](const PassedOver &entry) { return entry.task == task; };
  bool isDefault = llvm::any_of(
      composition, [&](const PassedOver &entry) { return isOfTask(entry) && isWhole(entry); });
  Composition others = composition;
  llvm::erase_if(others, isOfTask);
  if (isDefault) {
    return {others}; // select the record again
  }
  std::vector<Composition> result(1, others);
  result[0].push_back({task, std::nullopt});
  // The next fastest configuration, with any layouts.
  const RankedConfiguration *first = nullptr, *second = nullptr;
  for (const RankedConfiguration &choice : snapshot.ranked(task)) {
    if (!first || choice.ns < first->ns) {
      second = first;
      first = &choice;
    } else if (!second || choice.ns < second->ns) {
      second = &choice;
    }
  }
  if (second && second->ns <= first->ns * kCloseSecond) {
    result.push_back(others);
    result.back().push_back({task, first->configuration});
  }
  return result;
}

TunedNetwork::Composition TunedNetwork::clearWins(const Snapshot &snapshot, double margin) const {
  Composition result;
  for (const ModelTask &task : tasks.tasks) {
    std::string key = task.task.key();
    double best = 0, own = 0;
    for (const RankedConfiguration &choice : snapshot.ranked(key)) {
      bool isOwn = choice.configuration == task.space.entries.front().configuration;
      own = isOwn ? choice.ns : own;
      best = best == 0 ? choice.ns : std::min(best, choice.ns);
    }
    if (own == 0 || best > margin * own) {
      result.push_back({key, std::nullopt});
    }
  }
  return result;
}

llvm::Error TunedNetwork::consider(Composition other) {
  llvm::Expected<NetworkCode> built = build("try" + std::to_string(builds++), &other);
  if (!built) {
    return built.takeError();
  }
  const NetworkCode &best = incumbent ? *incumbent : byDefault;
  if (built->kernels == best.kernels) {
    remove(*built);
    return llvm::Error::success();
  }
  ++result.tries;
  llvm::Expected<Pairs> pairs = compare(best, *built, kTryPairs);
  if (!pairs) {
    return pairs.takeError();
  }
  // Accept only significant gains: among many tries, some win by noise.
  if (ratioOf(*pairs).high >= 1) {
    remove(*built);
    return llvm::Error::success();
  }
  if (incumbent) {
    remove(*incumbent);
  }
  incumbent = std::move(*built);
  composition = std::move(other);
  return llvm::Error::success();
}

llvm::Error TunedNetwork::improve(const Snapshot &snapshot) {
  for (double margin : kMargins) {
    if (clock() >= deadline) {
      return llvm::Error::success();
    }
    if (llvm::Error error = consider(clearWins(snapshot, margin))) {
      return error;
    }
  }
  std::vector<std::string> heavy = heaviestTasks(snapshot);
  if (!incumbent) {
    // All records together are slower: start from the default and add one task at a time.
    for (const std::string &task : heavy) {
      composition.push_back({task, std::nullopt});
    }
  }
  heavy.resize(std::min(heavy.size(), kTriedTasks));
  for (const std::string &task : heavy) {
    for (Composition &other : alternatives(snapshot, task)) {
      if (clock() >= deadline) {
        return llvm::Error::success();
      }
      if (llvm::Error error = consider(std::move(other))) {
        return error;
      }
    }
  }
  return llvm::Error::success();
}

Verdict TunedNetwork::verdictOf(const Pairs &pairs) const {
  std::map<std::string, int64_t> counts;
  for (const ModelTask &task : tasks.tasks) {
    counts[task.task.key()] += task.count;
  }
  Verdict verdict;
  verdict.id = newTrialId();
  verdict.network = networkKey(counts);
  verdict.target = target.fingerprint();
  verdict.policy = name(policy).str();
  verdict.templates = templatesText(selectionFor(verdict.target, verdict.policy).templateVersions);
  verdict.passedOver = composition;
  verdict.keepsDefault = ratioOf(pairs).value >= 1;
  verdict.samples = pairs;
  verdict.compiler = compilerVersion();
  verdict.unixUs = unixMicroseconds();
  return verdict;
}

double TunedNetwork::clock() const { return monotonicSeconds() - measurer.waitedSeconds(); }

llvm::Expected<NetworkResult> TunedNetwork::settle(RecordStore &store, double until) {
  deadline = until;
  llvm::Expected<Snapshot> snapshot =
      Snapshot::read(store, selectionFor(target.fingerprint(), name(policy)));
  if (!snapshot) {
    return snapshot.takeError();
  }
  llvm::Expected<NetworkCode> all = build("tuned", &composition);
  if (!all) {
    return all.takeError();
  }
  if (all->kernels == byDefault.kernels) {
    return result;
  }
  result.isChanged = true;
  llvm::Expected<Pairs> pairs = compare(byDefault, *all, kTryPairs);
  if (!pairs) {
    return pairs.takeError();
  }
  if (ratioOf(*pairs).value < 1) {
    incumbent = *all;
  }
  if (llvm::Error error = improve(*snapshot)) {
    return std::move(error);
  }
  // The final comparison takes new samples: the samples that selected the composition are biased.
  if (!incumbent) {
    incumbent = std::move(*all);
    composition.clear();
  }
  deadline = std::max(deadline, clock() + kLastSeconds);
  pairs = compare(byDefault, *incumbent, kLastPairs);
  if (!pairs) {
    return pairs.takeError();
  }
  result.ratio = ratioOf(*pairs);
  result.pairs = pairs->size();
  result.beforeMs = medianNs(*pairs, &PairedSample::beforeNs) * 1e-6;
  result.afterMs = medianNs(*pairs, &PairedSample::afterNs) * 1e-6;
  result.verdict = verdictOf(*pairs);
  if (llvm::Error error = store.append({}, {result.verdict}).takeError()) {
    return std::move(error);
  }
  return result;
}

} // namespace convoy::tuning
