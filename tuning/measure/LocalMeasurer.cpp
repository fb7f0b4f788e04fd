// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts candidates to requests for convoy-measure, and its answers to measurements.

#include "LocalMeasurer.h"
#include "Support/TypedError.h"
#include "tuning/records/JsonLines.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <chrono>
#include <numeric>
#include <sched.h>
#include <thread>

namespace convoy::tuning {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// The number of attempts to measure candidates after disturbances.
constexpr int kAttempts = 3;
// The sentinel runs this number of rounds of 1 ms each, longer than the scheduler's time
// slice, so that another process on the CPU shows. The time limit allows for a busy machine.
constexpr int kSentinelRounds = 15;
constexpr double kSentinelTimeoutMs = 10000;

Object toJson(const RunnableCandidate &candidate) {
  Array inputs, outputs;
  for (const RunnableCandidate::Input &input : candidate.inputs) {
    inputs.push_back(Object{{"file", input.file}, {"bytes", input.bytes}});
  }
  for (const RunnableCandidate::Output &output : candidate.outputs) {
    outputs.push_back(Object{{"bytes", output.bytes}, {"expected", output.expected}});
  }
  return Object{{"library", candidate.library},
                {"symbol", candidate.symbol},
                {"workspaceBytes", candidate.workspaceBytes},
                {"inputs", std::move(inputs)},
                {"outputs", std::move(outputs)}};
}

Object toRequest(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan,
                 llvm::ArrayRef<int> cpus) {
  Array list;
  for (const RunnableCandidate &candidate : candidates) {
    list.push_back(toJson(candidate));
  }
  return Object{
      {"kind", "trial"},          {"candidates", std::move(list)}, {"policy", name(plan.policy)},
      {"cpus", Array(cpus)},      {"samples", plan.samples},       {"sampleMs", plan.sampleMs},
      {"giveUpNs", plan.giveUpNs}};
}

llvm::Error isBug(llvm::StringRef what) {
  return createBug("convoy-measure sent an answer without " + what + "; this is a bug in convoy");
}

llvm::Expected<Measurement> toMeasurement(const Object &object) {
  Measurement result;
  std::optional<Outcome> outcome = outcomeFromName(object.getString("outcome").value_or(""));
  if (!outcome) {
    return isBug("an outcome");
  }
  result.outcome = *outcome;
  result.message = object.getString("message").value_or("").str();
  const Value *samples = object.get("samples");
  if (!samples) {
    return result;
  }
  llvm::Expected<std::vector<Sample>> list = samplesFromJson(llvm::formatv("{0}", *samples).str());
  if (!list) {
    return list.takeError();
  }
  result.samples = std::move(*list);
  int64_t clean =
      llvm::count_if(result.samples, [](const Sample &sample) { return sample.isClean; });
  result.isDisturbed = clean < object.getInteger("wanted").value_or(0);
  return result;
}

/// Appends the samples of one attempt.
void addAttempt(Measurement &sum, Measurement &&now) {
  now.samples.insert(now.samples.begin(), sum.samples.begin(), sum.samples.end());
  sum = std::move(now);
}

/// Sets the outcome of a candidate without any undisturbed sample.
void judgeNoise(Measurement &measurement) {
  if (measurement.outcome == Outcome::Ok && measurement.ns() <= 0) {
    measurement.outcome = Outcome::TimeOut;
    measurement.message = "all " + std::to_string(measurement.samples.size()) +
                          " samples were disturbed; the machine is too busy";
  }
}

} // namespace

std::vector<int> usableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

LocalMeasurer::LocalMeasurer(LocalOptions options)
    : process(std::move(options.program)), isInterrupted(std::move(options.isInterrupted)),
      watch(
          std::move(options.watch), [this](int cpu) { return runSentinel(cpu); },
          [this](double seconds) { return waitForIdle(seconds); }, std::move(options.say)) {}

bool LocalMeasurer::waitForIdle(double seconds) {
  constexpr double kStepSeconds = 0.1;
  useCpus({});
  for (double left = seconds; left > 0; left -= kStepSeconds) {
    if (isWaitCanceled || isInterrupted()) {
      return false;
    }
    double step = std::min(left, kStepSeconds);
    std::this_thread::sleep_for(std::chrono::duration<double>(step));
    waited = waited + step;
  }
  return true;
}

void LocalMeasurer::useCpus(llvm::ArrayRef<int> cpus) const {
  if (use) {
    use(cpus);
  }
}

llvm::Expected<Sample> LocalMeasurer::runSentinel(int cpu) {
  useCpus({cpu});
  llvm::Expected<Object> answer =
      process.ask(Object{{"kind", "sentinel"}, {"cpus", Array{cpu}}, {"samples", kSentinelRounds}},
                  kSentinelTimeoutMs);
  if (!answer) {
    return answer.takeError();
  }
  const Value *sample = answer->get("sentinel");
  if (!sample) {
    // The sentinel did not finish, so the CPU counts as busy.
    return Sample{1, static_cast<int64_t>(kSentinelTimeoutMs * 1e6), 0, false};
  }
  llvm::Expected<std::vector<Sample>> list = samplesFromJson(llvm::formatv("[{0}]", *sample).str());
  if (!list) {
    return list.takeError();
  }
  return list->front();
}

llvm::Expected<std::vector<Measurement>>
LocalMeasurer::measureTogether(llvm::ArrayRef<RunnableCandidate> candidates,
                               const MeasurePlan &plan) {
  std::vector<Measurement> results(candidates.size());
  std::vector<size_t> left(candidates.size());
  std::iota(left.begin(), left.end(), 0);
  useCpus(watch.cpus());
  // A failing candidate ends the process for all candidates. The remaining candidates are
  // measured without it.
  while (!left.empty()) {
    std::vector<RunnableCandidate> now;
    for (size_t i : left) {
      now.push_back(candidates[i]);
    }
    llvm::Expected<Object> answer = process.ask(toRequest(now, plan, watch.cpus()),
                                                plan.timeoutMs * static_cast<double>(now.size()));
    if (!answer) {
      return answer.takeError();
    }
    if (std::optional<llvm::StringRef> error = answer->getString("error")) {
      return llvm::createStringError("cannot measure: " + *error);
    }
    if (std::optional<int64_t> failed = answer->getInteger("failed")) {
      llvm::Expected<Measurement> measurement = toMeasurement(*answer);
      if (!measurement || *failed < 0 || *failed >= static_cast<int64_t>(left.size())) {
        llvm::consumeError(measurement.takeError());
        return isBug("the candidate that failed");
      }
      results[left[*failed]] = std::move(*measurement);
      left.erase(left.begin() + *failed);
      continue;
    }
    const Array *list = answer->getArray("results");
    if (!list || list->size() != left.size()) {
      return isBug("results");
    }
    for (size_t k = 0; k < left.size(); ++k) {
      const Object *object = (*list)[k].getAsObject();
      llvm::Expected<Measurement> measurement = toMeasurement(object ? *object : Object{});
      if (!measurement) {
        return measurement.takeError();
      }
      results[left[k]] = std::move(*measurement);
    }
    break;
  }
  return results;
}

llvm::Expected<std::vector<Measurement>>
LocalMeasurer::measureCleanly(llvm::ArrayRef<RunnableCandidate> candidates,
                              const MeasurePlan &plan) {
  if (llvm::Error error = watch.beforeTrials(static_cast<int>(candidates.size()))) {
    return std::move(error);
  }
  std::vector<Measurement> sums(candidates.size());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    llvm::Expected<std::vector<Measurement>> now = measureTogether(candidates, plan);
    if (!now) {
      return now.takeError();
    }
    bool isDisturbed =
        llvm::any_of(*now, [](const Measurement &measurement) { return measurement.isDisturbed; });
    for (size_t i = 0; i < candidates.size(); ++i) {
      addAttempt(sums[i], std::move((*now)[i]));
    }
    if (!isDisturbed) {
      break;
    }
    llvm::Expected<bool> isFree = watch.afterDisturbance();
    if (!isFree) {
      return isFree.takeError();
    }
    if (!*isFree) {
      break;
    }
  }
  for (Measurement &sum : sums) {
    sum.sentinelNs = watch.lastSentinelNs();
    judgeNoise(sum);
  }
  return sums;
}

llvm::Expected<std::vector<Measurement>>
LocalMeasurer::measure(llvm::ArrayRef<RunnableCandidate> candidates, const MeasurePlan &plan) {
  auto release = llvm::make_scope_exit([this] { useCpus({}); });
  if (plan.isInterleaved) {
    return measureCleanly(candidates, plan);
  }
  std::vector<Measurement> results;
  for (const RunnableCandidate &candidate : candidates) {
    llvm::Expected<std::vector<Measurement>> one = measureCleanly({candidate}, plan);
    if (!one) {
      return one.takeError();
    }
    results.push_back(std::move(one->front()));
  }
  return results;
}

} // namespace convoy::tuning
