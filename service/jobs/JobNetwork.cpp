// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and times the whole network of a job before the job ends. A kernel that is fastest alone
// may be slower in the network, so the network with the fastest configurations is measured in
// alternation with the one with the default configurations.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"
#include "service/jobs/RecordAnswer.h"
#include "service/queue/Messages.h"
#include "tuning/measure/PairSamples.h"
#include "tuning/records/JsonLines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>

namespace convoy::service {
namespace {

using tuning::Completion;
using tuning::Outcome;
using tuning::WorkStage;

std::map<std::string, layout::TaskMeasurements> fastestConfigurations(const Job &job,
                                                                      const BestRecords &best) {
  std::map<std::string, layout::TaskMeasurements> result;
  TaskQuery query = queryFor(*job.target);
  for (const TaskSpec &task : job.spec.tasks()) {
    query.task = tuning::taskHash(task.text());
    for (const std::shared_ptr<const BestChoice> &choice : best.find(query)) {
      const tuning::Configuration &one = choice->configuration;
      bool isPlanar = one.inputLayout == tuning::kPlanarLayout;
      result[query.task].configurations.push_back(
          {one.text, isPlanar ? "" : one.inputLayout, choice->ns});
    }
  }
  return result;
}

void setFiles(NetworkTime &time, llvm::ArrayRef<tuning::NetworkFile> files) {
  time.clear_files();
  for (const tuning::NetworkFile &file : files) {
    CompiledFile &added = *time.add_files();
    llvm::StringRef blob = file.file;
    blob.consume_front(kBlobPrefix);
    added.set_name(file.name);
    added.set_blob(blob.str());
    added.set_bytes(file.bytes);
  }
}

/// Returns why the samples give no time; empty if they do. A worker may send anything.
std::string problemOf(const tuning::Measurement &measurement) {
  if (llvm::Error error = tuning::checkSamples(measurement.samples)) {
    return "the result cannot be used: " + llvm::toString(std::move(error));
  }
  auto isShort = [](const tuning::Sample &sample) { return sample.wallNs < sample.runs; };
  return llvm::any_of(measurement.samples, isShort)
             ? "the result cannot be used: a run of the network takes less than 1 ns"
             : "";
}

/// Returns why a stage gives no time of the network; empty if it does.
std::string problemOf(const OpenTrial &trial, const Completion &completion) {
  // A busy device may have no undisturbed sample; the interval of the disturbed ones is wide.
  bool isMeasured = completion.outcome == Outcome::Ok || completion.outcome == Outcome::TimeOut;
  bool isTimed = completion.stage == WorkStage::Measure && isMeasured && trial.built.network &&
                 !completion.measurement.samples.empty();
  if (!isTimed) {
    return completion.message.empty() ? "it was lost" : completion.message;
  }
  std::string problem = problemOf(completion.measurement);
  return problem.empty() ? problemOf(completion.defaultMeasurement) : problem;
}

bool isFinite(const NetworkTime &time) {
  return llvm::all_of(std::initializer_list<double>{time.us(), time.low_us(), time.high_us(),
                                                    time.default_us(), time.ratio(),
                                                    time.low_ratio(), time.high_ratio()},
                      [](double value) { return std::isfinite(value); });
}

/// Returns the part of a worker's text that the database and the clients accept.
std::string storable(llvm::StringRef text) {
  return llvm::json::fixUTF8(text.take_front(kMostResultText));
}

} // namespace

NetworkTime networkTime(const Completion &built, const Completion &measured, bool isSingle) {
  NetworkTime time;
  std::vector<tuning::PairedSample> pairs;
  tuning::addPairs(pairs, measured.defaultMeasurement, measured.measurement, isSingle);
  if (!pairs.empty()) {
    timing::Estimate ratio = tuning::ratioOf(pairs);
    time.set_ratio(ratio.value);
    time.set_low_ratio(ratio.low);
    time.set_high_ratio(ratio.high);
    time.set_default_us(tuning::medianNs(pairs, &tuning::PairedSample::beforeNs) * 1e-3);
    time.set_keeps_default(ratio.low > 1);
  } else if (!built.network->byDefault.library.empty()) {
    time.set_problem("the default configurations were not timed");
  }
  std::vector<double> ns =
      tuning::timesOf(time.keeps_default() ? measured.defaultMeasurement : measured.measurement);
  timing::Estimate estimate = timing::medianEstimate(ns);
  time.set_us(estimate.value * 1e-3);
  time.set_low_us(estimate.low * 1e-3);
  time.set_high_us(estimate.high * 1e-3);
  time.set_samples(static_cast<int64_t>(ns.size()));
  time.set_device(storable(measured.worker));
  setFiles(time, time.keeps_default() ? built.network->defaultFiles : built.network->files);
  return time;
}

void Job::takeNetwork(const Completion &completion) {
  OpenTrial trial = std::move(*network);
  network.reset();
  isDirty = true;
  if (completion.stage == WorkStage::Measure) {
    deviceSeconds += completion.seconds;
  }
  NetworkTime time;
  std::string problem = problemOf(trial, completion);
  if (problem.empty()) {
    time = service::networkTime(trial.built, completion, spec.threads() == 1);
    problem = isFinite(time) ? "" : "the result cannot be used: its times have no finite ratio";
  }
  if (problem.empty()) {
    networkTime = std::move(time);
  } else {
    keepNetwork(trial, problem);
    return;
  }
  if (timedUs > 0) {
    networkFactor = networkTime->us() / timedUs;
  }
  if (ending && ending->state == JobState::SLA_MET && networkTime->us() > spec.latency_us()) {
    // The stored kernels are fast enough, but not the network: the job searches.
    ending.reset();
  }
}

void Job::keepNetwork(const OpenTrial &trial, llvm::StringRef problem) {
  if (!networkTime) {
    networkTime.emplace();
  }
  networkTime->set_problem(storable(problem));
  if (networkTime->us() == 0 && trial.built.network) {
    setFiles(*networkTime, trial.built.network->files); // they have no time, but they work
  }
}

std::vector<std::string> Job::blobs() const {
  std::vector<std::string> names;
  if (wantsNetwork()) {
    names.push_back(spec.model());
  }
  if (networkTime) {
    for (const CompiledFile &file : networkTime->files()) {
      names.push_back(file.blob());
    }
  }
  return names;
}

std::string Job::networkObstacle(const service::scheduler::PoolStatus &pool, double now,
                                 double graceSeconds) {
  bool isBuild = network->stage == WorkStage::Build;
  bool isReachable = isBuild ? pool.buildSlots > 0 : pool.devices > 0;
  if (isReachable || network->isStarted || state == JobState::PAUSED) {
    unreachableSince.reset();
    return "";
  }
  if (!unreachableSince) {
    unreachableSince = now;
  }
  if (now - *unreachableSince < graceSeconds) {
    return "";
  }
  unreachableSince.reset();
  return isBuild ? "no builder is reachable" : "no device of the class is reachable";
}

bool JobLoop::isSettled(Job &job, const JobEnd &why) {
  if (!why.isResult() || !job.wantsNetwork()) {
    return true;
  }
  if (job.network) {
    return false;
  }
  // The network of these configurations was timed, or a network that is fast enough.
  bool isConfirmed = why.state == JobState::SLA_MET && job.networkTime &&
                     job.networkTime->us() > 0 && job.networkTime->us() <= job.spec.latency_us();
  if (isConfirmed || (job.networkTime && job.timedUs == job.bestUs())) {
    return true;
  }
  job.timedUs = job.bestUs();
  tuning::NetworkWork work;
  work.model = job.spec.model();
  work.name = job.spec.model_name().empty() ? "model" : job.spec.model_name();
  work.best = fastestConfigurations(job, best);
  OpenTrial &trial = job.network.emplace();
  // The dispatcher drops a trial that it knows, also one of a job that has ended and continues.
  networkBuilds = networkBuilds % kMostPlace + 1;
  trial.id = {job.id, kNetworkRound, networkBuilds};
  job.networkWork = std::make_shared<const tuning::NetworkWork>(std::move(work));
  queueStage(job, trial, WorkStage::Build);
  return false;
}

void JobLoop::takeNetwork(Job &job, const Completion &completion) {
  bool isBuild = completion.stage == WorkStage::Build;
  store::UsageRow usage{job.spec.project(),
                        job.id,
                        job.spec.target_class(),
                        /*deviceSeconds=*/isBuild ? 0 : completion.seconds,
                        /*buildSeconds=*/isBuild ? completion.seconds : job.network->built.seconds,
                        "",
                        0};
  job.takeNetwork(completion);
  // A new leader needs the time and the files.
  llvm::Error error = llvm::joinErrors(database.addUsage(usage),
                                       database.setJobProgress(job.id, toText(job.status())));
  if (error) {
    options.say("job " + job.id + ": " + llvm::toString(std::move(error)));
  }
  queuePropose(job);
}

void JobLoop::giveUpNetwork(Job &job, double time) {
  Completion none;
  none.stage = job.network->stage;
  none.outcome = Outcome::TimeOut;
  none.message = job.networkObstacle(scheduler.pool(job.spec.target_class()), time,
                                     options.unreachableSeconds);
  if (!none.message.empty()) {
    takeNetwork(job, none);
  }
}

} // namespace convoy::service
