// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network as it is, the search, the network as it became.

#include "TuneModel.h"
#include "Codegen/LLVM/TemporaryFolder.h"
#include "Measurer.h"
#include "Pipeline/TargetOptions.h"
#include "TunedNetwork.h"
#include "tuning/dispatch/LocalTuner.h"
#include "tuning/measure/LocalMeasurer.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>

namespace convoy::driver {
namespace {

constexpr double kDefaultSeconds = 600;
/// Of the time, what is left for races and for the network, and of that the races'.
constexpr double kFinalShare = 0.35, kMostFinalSeconds = 180, kRaceShare = 0.4;
/// For the network when only trials are counted: a share of what they took, within bounds.
constexpr double kUncountedShare = 0.25, kLeastUncounted = 3, kMostUncounted = 60;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The first Ctrl-C ends the search when the batch in hand is kept, the second at once.
class Interrupt {
public:
  Interrupt() {
    struct sigaction action{};
    action.sa_handler = [](int) { isRaised = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &before);
  }
  ~Interrupt() { sigaction(SIGINT, &before, nullptr); }
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  static bool isSet() { return isRaised != 0; }

private:
  static volatile sig_atomic_t isRaised;
  struct sigaction before{};
};

volatile sig_atomic_t Interrupt::isRaised = 0;

class ModelTuner {
public:
  ModelTuner(const TuneOptions &options, const tuning::ModelTasks &tasks, Console &console)
      : options(options), tasks(tasks), console(console) {}

  llvm::Error run() {
    Interrupt interrupt;
    llvm::Expected<std::string> program = findMeasureProgram();
    llvm::Expected<targets::Target> target = targets::findTarget(options.target);
    if (!program || !target) {
      return llvm::joinErrors(program.takeError(), target.takeError());
    }
    std::string problem = targets::whyNotHere(*target);
    if (!problem.empty()) {
      return llvm::createStringError("--target " + options.target +
                                     " cannot be measured here: " + problem);
    }
    llvm::Expected<tuning::RecordStore> store =
        tuning::RecordStore::open(options.records, tuning::RecordStore::Access::Write);
    if (!store) {
      return store.takeError();
    }
    llvm::SmallString<128> parent;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
    if (llvm::Error error = scratch.create(parent)) {
      return error;
    }
    setUp(*target);
    tuning::LocalMeasurer measurer(localOptions(std::move(*program)));
    TunedNetwork network(options, tasks, scratch.path().str(), measurer);
    if (llvm::Error error = network.prepare()) {
      return error;
    }
    modelSeconds = network.defaultSeconds();
    if (llvm::Error error = search(measurer, *store)) {
      return error;
    }
    if (!Interrupt::isSet()) {
      llvm::Expected<NetworkResult> settled = network.settle(*store, finalDeadline());
      if (!settled) {
        return settled.takeError();
      }
      result = std::move(*settled);
    }
    state.seconds = now() - start;
    options.isJson ? printJson() : printText();
    return llvm::Error::success();
  }

private:
  void setUp(const targets::Target &target) {
    threads = static_cast<int>(options.threads == 0 ? target.cores : options.threads);
    setup.target = target;
    setup.folder = scratch.path().str();
    setup.searcher = options.searcher;
    setup.seed = options.seed;
    setup.plan.threads = threads;
    setup.plan.timeoutMs = options.timeoutMs;
    if (!options.isWithoutTransfer) {
      tuning::SpaceOptions space;
      space.machine = machineOf(target);
      experience.emplace(space, threads);
      setup.experience = &*experience;
    }
    bool isUnbounded = options.trials == 0 && options.seconds == 0;
    totalSeconds = isUnbounded ? kDefaultSeconds : options.seconds;
    budget.trials = options.trials;
    budget.batch = options.batch;
    budget.targetSeconds = options.targetMs * 1e-3;
    budget.isInterrupted = Interrupt::isSet;
  }

  tuning::LocalOptions localOptions(std::string program) {
    tuning::LocalOptions local;
    local.program = std::move(program);
    local.watch.cpus = tuning::usableCpus();
    local.watch.threads = threads;
    local.watch.maxWaitSeconds = options.waitSeconds;
    local.say = [this](const std::string &text) { console.err << text << "\n"; };
    return local;
  }

  /// Of the search; the rest of the time is for its end.
  llvm::Error search(tuning::Measurer &measurer, tuning::RecordStore &store) {
    if (totalSeconds > 0) {
      double left = totalSeconds - (now() - start);
      double end = std::min(kFinalShare * totalSeconds, kMostFinalSeconds);
      budget.seconds = std::max(left - end, 0.1);
      budget.raceSeconds = kRaceShare * end;
    }
    tuning::LocalTuner tuner(tasks, setup, budget, measurer, store, modelSeconds);
    tuning::GainPolicy policy;
    auto found = tuner.run(policy, [&](const tuning::TuningState &now) { show(now); });
    if (!found) {
      return found.takeError();
    }
    state = std::move(*found);
    return llvm::Error::success();
  }

  double finalDeadline() const {
    double uncounted = std::clamp(kUncountedShare * state.seconds, kLeastUncounted, kMostUncounted);
    return totalSeconds > 0 ? start + totalSeconds : now() + uncounted;
  }

  /// Seconds until the budget is spent, by the slower of its bounds; empty without one.
  std::string leftText(const tuning::TuningState &at) const {
    double left = std::numeric_limits<double>::infinity();
    if (budget.seconds > 0) {
      left = budget.seconds - at.seconds;
    }
    if (budget.trials > 0 && at.trials > 0) {
      double each = at.seconds / static_cast<double>(at.trials);
      left = std::min(left, each * static_cast<double>(budget.trials - at.trials));
    }
    return std::isfinite(left) ? llvm::formatv("{0:f0} s left, ", std::max(left, 0.0)).str() : "";
  }

  void show(const tuning::TuningState &at) {
    if (!options.isJson) {
      console.err << llvm::formatv(
          "{0,5} trials, {1:f1}/s, {2}{3} of {4} tasks  inference {5:f3} -> {6:f3} ms  {7}\n",
          at.trials, static_cast<double>(at.trials) / at.seconds, leftText(at), at.tasksTried,
          tasks.tasks.size(), modelSeconds * 1e3, at.estimateSeconds * 1e3, at.task);
    }
  }

  llvm::json::Value networkJson() const {
    if (!result) {
      return nullptr;
    }
    if (!result->isChanged) {
      return llvm::json::Object{{"changed", false}};
    }
    return llvm::json::Object{
        {"changed", true},
        {"beforeMs", result->beforeMs},
        {"afterMs", result->afterMs},
        {"ratio", result->ratio.value},
        {"low", result->ratio.low},
        {"high", result->ratio.high},
        {"pairs", static_cast<int64_t>(result->pairs)},
        {"tries", result->tries},
        {"keepsDefault", result->verdict.keepsDefault},
        {"passedOver", static_cast<int64_t>(result->verdict.passedOver.size())}};
  }

  /// Of a trial: what neither builds nor measures it.
  double overheadSeconds() const {
    double rest = state.searchSeconds - state.buildSeconds - state.measureSeconds;
    return state.trials > 0 ? rest / static_cast<double>(state.trials) : 0;
  }

  llvm::json::Value searchJson() const {
    double rate =
        state.searchSeconds > 0 ? static_cast<double>(state.trials) / state.searchSeconds : 0;
    return llvm::json::Object{{"seconds", state.searchSeconds},
                              {"buildSeconds", state.buildSeconds},
                              {"measureSeconds", state.measureSeconds},
                              {"trialsPerSecond", rate},
                              {"overheadSecondsPerTrial", overheadSeconds()}};
  }

  void printJson() {
    llvm::json::Object object{{"trials", state.trials},
                              {"failed", state.failed},
                              {"seconds", state.seconds},
                              {"search", searchJson()},
                              {"threads", threads},
                              {"defaultMs", state.defaultSeconds * 1e3},
                              {"bestMs", state.bestSeconds * 1e3},
                              {"estimateMs", state.estimateSeconds * 1e3},
                              {"interrupted", Interrupt::isSet()},
                              {"network", networkJson()},
                              {"records", options.records}};
    if (budget.targetSeconds > 0) {
      object["targetReached"] = state.isTargetReached;
    }
    console.out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  }

  std::string networkText() const {
    if (!result) {
      return "interrupted: the network was not timed; the same command goes on\n";
    }
    if (!result->isChanged) {
      return "the network stays as it is: nothing was found that the compiler would not take by "
             "itself\n";
    }
    std::string text =
        llvm::formatv("inference: {0:f3} ms before, {1:f3} ms after, {2:f3}x (95 % interval {3:f3} "
                      ".. {4:f3}, {5} pairs in turn)\n",
                      result->beforeMs, result->afterMs, result->ratio.value, result->ratio.low,
                      result->ratio.high, result->pairs);
    if (result->verdict.keepsDefault) {
      return text + "tuning did not win: compiling with these records keeps the default\n";
    }
    size_t passed = result->verdict.passedOver.size();
    return passed == 0 ? text
                       : text + std::to_string(passed) +
                             " choices were passed over: they were slower inside the network\n";
  }

  void printText() {
    console.out << llvm::formatv(
                       "{0} trials in {1:f1} s, {2} failed; kernels one by one: {3:f3} ms "
                       "before, {4:f3} ms after\n",
                       state.trials, state.seconds, state.failed, state.defaultSeconds * 1e3,
                       state.bestSeconds * 1e3)
                << networkText();
    if (budget.targetSeconds > 0) {
      console.out << llvm::formatv("target of {0:f3} ms: {1}\n", options.targetMs,
                                   state.isTargetReached ? "reached by estimate" : "not reached");
    }
    console.out << "convoy compile " << options.model.path << " --records " << options.records
                << (options.threads == 1 ? "" : " --threads " + std::to_string(options.threads))
                << " uses them\n";
  }

  const TuneOptions &options;
  const tuning::ModelTasks &tasks;
  Console &console;
  double start = now();
  double totalSeconds = 0; // 0: no bound
  int threads = 1;
  codegen::TemporaryFolder scratch;
  tuning::TuningSetup setup;
  tuning::TuningBudget budget;
  std::optional<tuning::Experience> experience;
  double modelSeconds = 0;
  tuning::TuningState state;
  std::optional<NetworkResult> result; // nothing when interrupted
};

} // namespace

llvm::Error tuneModel(const TuneOptions &options, const tuning::ModelTasks &tasks,
                      Console &console) {
  return ModelTuner(options, tasks, console).run();
}

} // namespace convoy::driver
