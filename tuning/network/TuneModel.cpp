// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the network with the default configurations, runs the search, then measures the tuned
// network.

#include "tuning/network/TuneModel.h"
#include "Driver/ResolveTarget.h"
#include "Pipeline/TargetOptions.h"
#include "Support/MonotonicClock.h"
#include "Support/TemporaryFolder.h"
#include "Support/TypedError.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/network/EmulatedMeasurer.h"
#include <algorithm>
#include <cmath>

namespace convoy::tuning {
namespace {

constexpr double kDefaultSeconds = 600;
/// The share and the maximum of the budget that is reserved for the races and the network, and the
/// races' share of this time.
constexpr double kFinalShare = 0.35, kMostFinalSeconds = 180, kRaceShare = 0.4;
/// Without a time limit, the time for the network: a share of the search time, between two limits.
constexpr double kUncountedShare = 0.25, kLeastUncounted = 3, kMostUncounted = 60;

/// The limit of build processes. More processes build faster than one process measures.
constexpr size_t kMostBuilders = 8;

/// Returns the CPUs to build on. The measurer prefers the first CPU, so it is the last one here.
std::vector<int> buildCpus() {
  std::vector<int> cpus = usableCpus();
  std::reverse(cpus.begin(), cpus.end());
  cpus.resize(std::min(cpus.size(), kMostBuilders));
  return cpus;
}

class ModelTuner {
public:
  using Show = std::function<void(const TuneProgress &)>;

  ModelTuner(const Model &model, const TuneRequest &request, const ModelTasks &tasks,
             const Show &show)
      : model(model), request(request), tasks(tasks), show(show) {}

  llvm::Expected<TuneResult> run() {
    llvm::Expected<driver::ResolvedTarget> target =
        driver::resolveTarget(request.compile.target, /*isForMemory=*/false);
    if (!target) {
      return target.takeError();
    }
    if (llvm::Error error = scratch.createInSystem()) {
      return error;
    }
    if (llvm::Error error = chooseMeasurer(*target)) {
      return withPrefix("--target " + request.compile.target.name + " cannot be measured here: ",
                        std::move(error));
    }
    llvm::Expected<RecordStore> store =
        RecordStore::open(request.records, RecordStore::Access::Write);
    if (!store) {
      return withPrefix("--records: ", store.takeError());
    }
    lock.emplace(request.records);
    setUp(target->machine);
    if (!measurer) {
      measurer = std::make_unique<LocalMeasurer>(localOptions());
    }
    return tune(*store);
  }

private:
  /// Counts instructions if this machine cannot run the target's code.
  llvm::Error chooseMeasurer(const driver::ResolvedTarget &target) {
    if (target.device) {
      return llvm::createStringError("it is a device");
    }
    if (targets::whyNotHere(target.machine).empty()) {
      return llvm::Error::success();
    }
    if (request.search.targetMs > 0) {
      return llvm::createStringError("--target-latency expects a time, and the emulator of this "
                                     "target counts instructions; use --trials or --time");
    }
    if (request.compile.schedule.threads != 1) {
      return llvm::createStringError("the emulator of this target counts the instructions of one "
                                     "thread; use --threads=1");
    }
    llvm::Expected<std::unique_ptr<Measurer>> created = emulatedMeasurer(target.machine, scratch);
    if (!created) {
      return created.takeError();
    }
    measurer = std::move(*created);
    result.policy = Policy::Instructions;
    return llvm::Error::success();
  }

  llvm::Expected<TuneResult> tune(RecordStore &store) {
    auto clock = [&] { return monotonicSeconds() - measurer->waitedSeconds(); };
    TunedNetwork network(model, request.compile, request.records, tasks, scratch.path().str(),
                         *measurer, result.policy);
    if (llvm::Error error = unlessCanceled(network.prepare())) {
      return error;
    }
    modelSeconds = network.defaultSeconds();
    if (llvm::Error error = search(store, clock() - start)) {
      return error;
    }
    result.isInterrupted = request.isInterrupted();
    if (!result.isInterrupted) {
      llvm::Expected<NetworkResult> settled = network.settle(store, finalDeadline(clock()));
      if (settled) {
        result.network = std::move(*settled);
      } else if (llvm::Error error = unlessCanceled(settled.takeError())) {
        return error;
      }
      result.isInterrupted = request.isInterrupted();
    }
    result.state.seconds = clock() - start;
    result.state.waitedSeconds = measurer->waitedSeconds();
    return std::move(result);
  }

  /// Ignores the end of a wait that the user has interrupted. The search then ends at once.
  static llvm::Error unlessCanceled(llvm::Error error) {
    return llvm::handleErrors(std::move(error), [](const WaitCanceled &) {});
  }

  void setUp(const targets::Target &target) {
    int64_t threads = request.compile.schedule.threads;
    result.threads = static_cast<int>(threads == 0 ? target.cores : threads);
    setup.target = target;
    setup.folder = scratch.path().str();
    setup.search.searcher = request.search.searcher;
    setup.search.seed = request.search.seed;
    setup.search.batch = request.search.batch;
    setup.search.trials = request.search.trials;
    setup.plan.policy = result.policy;
    setup.plan.threads = result.threads;
    setup.plan.timeoutMs = request.search.timeoutMs;
    setup.buildCpus = buildCpus();
    setup.continues = lock->isHeld();
    if (!request.search.isWithoutTransfer) {
      SpaceOptions space;
      space.machine = machineOf(target);
      setup.search.experience.emplace(space, result.threads);
    }
    bool isUnbounded = request.search.trials == 0 && request.search.seconds == 0;
    totalSeconds = isUnbounded ? kDefaultSeconds : request.search.seconds;
    budget.targetSeconds = request.search.targetMs * 1e-3;
    budget.isInterrupted = request.isInterrupted;
    if (result.policy == Policy::Instructions) {
      budget.leaders = 1; // counts have no noise, so there is nothing to race
    }
  }

  LocalOptions localOptions() const {
    LocalOptions local;
    local.program = request.program;
    local.watch.cpus = usableCpus();
    local.watch.threads = result.threads;
    local.watch.maxWaitSeconds = request.search.waitSeconds;
    local.isInterrupted = request.isInterrupted;
    if (request.say) {
      local.say = request.say;
    }
    return local;
  }

  /// Searches for the part of the budget that the races and the network do not need.
  /// `spent` are the seconds of the budget before the search.
  llvm::Error search(RecordStore &store, double spent) {
    if (totalSeconds > 0) {
      double left = totalSeconds - spent;
      double end = std::min(kFinalShare * totalSeconds, kMostFinalSeconds);
      budget.seconds = std::max(left - end, 0.1);
      budget.raceSeconds = kRaceShare * end;
    }
    LocalTuner tuner(tasks, setup, budget, *measurer, store, modelSeconds);
    bool isCounted = result.policy == Policy::Instructions;
    auto found = tuner.run(
        [&](const TuningState &at) { show({at, isCounted, modelSeconds, secondsLeft(at)}); });
    if (!found) {
      return found.takeError();
    }
    result.state = std::move(*found);
    return llvm::Error::success();
  }

  /// In seconds of a clock that stands still while the measurer waits and shows `time` now.
  double finalDeadline(double time) const {
    double uncounted =
        std::clamp(kUncountedShare * result.state.seconds, kLeastUncounted, kMostUncounted);
    return totalSeconds > 0 ? start + totalSeconds : time + uncounted;
  }

  /// Returns the remaining seconds by the limit that the search reaches first.
  std::optional<double> secondsLeft(const TuningState &at) const {
    double left = std::numeric_limits<double>::infinity();
    if (budget.seconds > 0) {
      left = budget.seconds - at.seconds;
    }
    if (request.search.trials > 0 && at.trials > 0) {
      double each = at.seconds / static_cast<double>(at.trials);
      left = std::min(left, each * static_cast<double>(request.search.trials - at.trials));
    }
    return std::isfinite(left) ? std::optional(std::max(left, 0.0)) : std::nullopt;
  }

  const Model &model;
  const TuneRequest &request;
  const ModelTasks &tasks;
  const Show &show;
  double start = monotonicSeconds();
  double totalSeconds = 0; // 0: no limit
  TemporaryFolder scratch;
  std::unique_ptr<Measurer> measurer;
  TuningSetup setup;
  TuningBudget budget;
  /// Destroyed after the store: closing the file ends the locks that SQLite holds on it.
  std::optional<SearchLock> lock;
  double modelSeconds = 0;
  TuneResult result;
};

} // namespace

llvm::Expected<TuneResult> tuneModel(const Model &model, const TuneRequest &request,
                                     const ModelTasks &tasks,
                                     const std::function<void(const TuneProgress &)> &show) {
  return ModelTuner(model, request, tasks, show).run();
}

} // namespace convoy::tuning
