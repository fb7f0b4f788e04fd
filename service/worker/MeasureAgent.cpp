// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Downloads candidates, measures them with LocalMeasurer.h and observes the device.

#include "service/worker/MeasureAgent.h"
#include "service/worker/CpuLock.h"
#include "service/worker/DeviceSensors.h"
#include "service/worker/DownloadCandidate.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/records/JsonLines.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace convoy::tuning;

namespace convoy::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSentinelRounds = 15; // of 1 ms
constexpr double kSentinelTimeoutMs = 10000;
constexpr int kSentinelTries = 5;
// After so many successive errors, the agent must be started again.
constexpr int kMaxFailures = 3;
// The time between two runs of the sentinel while the device is in quarantine.
constexpr std::chrono::seconds kQuarantinePause(5);

class MeasureStation : public WorkStation {
public:
  MeasureStation(AgentOptions given, std::shared_ptr<BlobClient> blobs)
      : options(std::move(given)), blobs(std::move(blobs)), sentinel(options.program) {
    greeting.name = options.name;
    greeting.role = "agent";
    greeting.deviceClass = options.deviceClass;
    greeting.cpu = options.cpu;
  }

  WorkerHello hello() override {
    std::lock_guard<std::mutex> lock(mutex);
    return greeting;
  }

  std::string whyBroken() override {
    return failures >= kMaxFailures ? "the device cannot measure" : "";
  }

  void rest() override {
    bool isQuarantined = hello().isQuarantined;
    bool isDue = isQuarantined && Clock::now() - lastSentinel > kQuarantinePause;
    if (trialsLeft > 0 && !isDue) {
      return;
    }
    trialsLeft = options.sentinelEvery;
    if (llvm::Error error = observe()) {
      options.say(llvm::toString(std::move(error)));
    }
  }

  llvm::Error run(const WorkMessage &work, ResultMessage &result) override {
    --trialsLeft;
    Completion &completion = result.completion;
    if (work.plan.threads > static_cast<int>(options.cpus.size())) {
      completion.outcome = completion.measurement.outcome = Outcome::Crash;
      completion.message = completion.measurement.message =
          llvm::formatv("the candidate needs {0} CPUs, and the device '{1}' has {2}",
                        work.plan.threads, options.name, options.cpus.size());
      return llvm::Error::success();
    }
    std::vector<RunnableCandidate> candidates = {work.candidate};
    if (!work.byDefault.library.empty()) {
      candidates.push_back(work.byDefault);
    }
    for (RunnableCandidate &candidate : candidates) {
      if (llvm::Error error = downloadCandidate(candidate, *blobs)) {
        return error;
      }
    }
    llvm::Expected<CpuLock> lock = CpuLock::acquire(options.lockFolder, options.cpus);
    if (!lock) {
      return lock.takeError();
    }
    llvm::Expected<std::vector<Measurement>> measured =
        measurerOf(work.plan.threads).measure(candidates, work.plan);
    if (!measured) {
      ++failures;
      return measured.takeError();
    }
    failures = 0;
    completion.measurement = std::move(measured->front());
    if (candidates.size() > 1) {
      completion.defaultMeasurement = std::move(measured->back());
    }
    completion.outcome = completion.measurement.outcome;
    completion.message = completion.measurement.message;
    addNotes(result);
    return llvm::Error::success();
  }

private:
  LocalMeasurer &measurerOf(int threads) {
    std::unique_ptr<LocalMeasurer> &measurer = measurers[threads];
    if (!measurer) {
      LocalOptions local;
      local.program = options.program;
      local.watch.cpus = options.cpus;
      local.watch.threads = threads;
      local.watch.everyTrials = options.sentinelEvery;
      local.watch.maxWaitSeconds = options.maxWaitSeconds;
      local.say = options.say;
      measurer = std::make_unique<LocalMeasurer>(std::move(local));
    }
    return *measurer;
  }

  void addNotes(ResultMessage &result) {
    int64_t kilohertz = readKilohertz(options.sysFolder, options.cpus.front());
    double celsius = readCelsius(options.sysFolder);
    std::lock_guard<std::mutex> lock(mutex);
    result.kilohertz = greeting.kilohertz = kilohertz;
    result.celsius = greeting.celsius = celsius;
    result.sentinelDrift = greeting.sentinelDrift;
  }

  /// Runs the sentinel a few times, until its time is normal, and returns the best time. Returns
  /// nothing if no run ended in time.
  llvm::Expected<std::optional<int64_t>> runSentinel() {
    llvm::Expected<CpuLock> lock = CpuLock::acquire(options.lockFolder, options.cpus);
    if (!lock) {
      return lock.takeError();
    }
    std::optional<int64_t> best;
    for (int i = 0; i < kSentinelTries; ++i) {
      llvm::Expected<llvm::json::Object> answer =
          sentinel.ask(llvm::json::Object{{"kind", "sentinel"},
                                          {"cpus", llvm::json::Array{options.cpus.front()}},
                                          {"samples", kSentinelRounds}},
                       kSentinelTimeoutMs);
      if (!answer) {
        return answer.takeError();
      }
      const llvm::json::Value *value = answer->get("sentinel");
      llvm::Expected<std::vector<Sample>> samples =
          samplesFromJson(value ? llvm::formatv("[{0}]", *value).str() : "[]");
      if (!samples) {
        return samples.takeError();
      }
      if (!samples->empty() && samples->front().cpuNs > 0) {
        // The time on the CPU shows a slower CPU, also if other programs interrupt the sentinel.
        int64_t ns = samples->front().cpuNs / samples->front().runs;
        best = std::min(best.value_or(ns), ns);
        if (bestNs == 0 || drift(*best) <= options.maxDrift) {
          break;
        }
      }
    }
    return best;
  }

  double drift(int64_t ns) const {
    return static_cast<double>(ns) / static_cast<double>(bestNs) - 1;
  }

  /// Compares the device with its best state and sets or ends the quarantine.
  llvm::Error observe() {
    llvm::Expected<std::optional<int64_t>> ns = runSentinel();
    lastSentinel = Clock::now();
    if (!ns) {
      return ns.takeError();
    }
    ResultMessage notes;
    addNotes(notes);
    if (!*ns) {
      return llvm::Error::success(); // the CPU is very busy; LocalMeasurer waits for it
    }
    bestNs = bestNs == 0 ? **ns : std::min(bestNs, **ns);
    double now = drift(**ns);
    bool isDrifting = now > options.maxDrift;
    std::lock_guard<std::mutex> lock(mutex);
    greeting.sentinelNs = **ns;
    greeting.sentinelDrift = now;
    if (isDrifting == greeting.isQuarantined) {
      return llvm::Error::success();
    }
    greeting.isQuarantined = isDrifting;
    greeting.reason =
        isDrifting ? llvm::formatv("the sentinel kernel is {0:f1} % slower than its best time, "
                                   "the limit is {1:f1} %",
                                   now * 100, options.maxDrift * 100)
                         .str()
                   : "";
    options.say("'" + options.name + "' " +
                (isDrifting ? "is quarantined: " + greeting.reason : "leaves the quarantine"));
    return llvm::Error::success();
  }

  AgentOptions options;
  std::shared_ptr<BlobClient> blobs;
  MeasureProcess sentinel;
  std::map<int, std::unique_ptr<LocalMeasurer>> measurers; // by number of threads
  std::mutex mutex;                                        // guards the greeting
  WorkerHello greeting;
  int failures = 0;   // successive measurements without any result
  int trialsLeft = 0; // until the next run of the sentinel
  int64_t bestNs = 0; // of the sentinel
  Clock::time_point lastSentinel;
};

} // namespace

std::unique_ptr<WorkStation> makeMeasureStation(AgentOptions options,
                                                std::shared_ptr<BlobClient> blobs) {
  return std::make_unique<MeasureStation>(std::move(options), std::move(blobs));
}

} // namespace convoy::service
