// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and times the whole network of a job before the job ends. A kernel that is fastest alone
// may be slower in the network, so the network with the fastest configurations is measured in
// alternation with the one with the default configurations.

#include "service/jobs/JobLoop.h"
#include "service/jobs/RecordAnswer.h"
#include "service/queue/Messages.h"
#include "tuning/measure/PairSamples.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::service {
namespace {

using tuning::Completion;
using tuning::Outcome;
using tuning::WorkStage;

/// Returns whether the job has found configurations.
bool isResult(JobState state) {
  return state == JobState::SLA_MET || state == JobState::BUDGET_DONE ||
         state == JobState::CONVERGED || state == JobState::CACHED_HIT;
}

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
  for (const tuning::NetworkFile &file : files) {
    CompiledFile &added = *time.add_files();
    llvm::StringRef blob = file.file;
    blob.consume_front(kBlobPrefix);
    added.set_name(file.name);
    added.set_blob(blob.str());
    added.set_bytes(file.bytes);
  }
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
  }
  std::vector<double> ns =
      tuning::timesOf(time.keeps_default() ? measured.defaultMeasurement : measured.measurement);
  timing::Estimate estimate = timing::medianEstimate(ns);
  time.set_us(estimate.value * 1e-3);
  time.set_low_us(estimate.low * 1e-3);
  time.set_high_us(estimate.high * 1e-3);
  time.set_samples(static_cast<int64_t>(ns.size()));
  time.set_device(measured.worker);
  setFiles(time, time.keeps_default() ? built.network->defaultFiles : built.network->files);
  return time;
}

bool JobLoop::isSettled(Job &job, const JobEnd &why) {
  if (!isResult(why.state) || !job.wantsNetwork()) {
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
  service::scheduler::PoolStatus pool = scheduler.pool(job.spec.target_class());
  if (pool.buildSlots == 0 || pool.devices == 0) {
    job.networkTime.emplace().set_problem(
        pool.buildSlots == 0 ? "no builder is reachable" : "no device of the class is reachable");
    return true;
  }
  tuning::NetworkWork work;
  work.model = job.spec.model();
  work.name = job.spec.model_name().empty() ? "model" : job.spec.model_name();
  work.best = fastestConfigurations(job, best);
  OpenTrial &trial = job.network.emplace();
  trial.id = {job.id, kNetworkRound, ++job.networkBuilds};
  job.networkWork = std::make_shared<const tuning::NetworkWork>(std::move(work));
  queueStage(job, trial, WorkStage::Build);
  return false;
}

void JobLoop::takeNetwork(Job &job, const Completion &completion) {
  OpenTrial trial = std::move(*job.network);
  job.network.reset();
  job.isDirty = true;
  bool isBuild = completion.stage == WorkStage::Build;
  double buildSeconds = isBuild ? completion.seconds : trial.built.seconds;
  double deviceSeconds = isBuild ? 0 : completion.seconds;
  job.deviceSeconds += deviceSeconds;
  store::UsageRow usage{
      job.spec.project(), job.id, job.spec.target_class(), deviceSeconds, buildSeconds, "", 0};
  if (llvm::Error error = database.addUsage(usage)) {
    options.say("job " + job.id + ": " + llvm::toString(std::move(error)));
  }
  // A busy device may have no undisturbed sample; the interval of the disturbed ones is wide.
  bool isMeasured = completion.outcome == Outcome::Ok || completion.outcome == Outcome::TimeOut;
  bool isTimed =
      !isBuild && isMeasured && trial.built.network && !completion.measurement.samples.empty();
  NetworkTime &time = job.networkTime.emplace();
  if (!isTimed) {
    time.set_problem(completion.message.empty() ? "it was lost" : completion.message);
    return;
  }
  time = networkTime(trial.built, completion, job.spec.threads() == 1);
  double sum = job.bestUs();
  if (sum > 0) {
    job.networkFactor = time.us() / sum;
  }
  if (job.ending && job.ending->state == JobState::SLA_MET && time.us() > job.spec.latency_us()) {
    // The stored kernels are fast enough, but not the network: the job searches.
    job.ending.reset();
  }
  queuePropose(job);
}

} // namespace convoy::service
