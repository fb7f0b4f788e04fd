// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build stage and the measure stage of trials. The first result of a trial is stored and then
// acknowledged; later results of the same trial are acknowledged and dropped.

#include "service/jobs/JobLoop.h"
#include "service/jobs/JobText.h"
#include "tuning/records/JsonLines.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::service {
namespace {

using tuning::Completion;
using tuning::Outcome;
using tuning::WorkStage;

tuning::Record recordOf(const Job &job, const OpenTrial &trial, const store::TrialResult &result) {
  tuning::Record record;
  record.trial = recordId(trial.id);
  record.taskText = job.spec.tasks(static_cast<int>(trial.task)).text();
  record.target = job.target->fingerprint();
  record.policy = name(tuning::policyOf(*job.target)).str();
  record.configuration = trial.configuration;
  record.outcome = result.outcome;
  record.message = result.message;
  record.samples = result.samples;
  record.sentinelNs = result.sentinelNs;
  record.compiler = compilerText();
  record.artifact = result.artifact;
  record.unixUs = tuning::unixMicroseconds();
  return record;
}

} // namespace

void JobLoop::queueStage(Job &job, OpenTrial &trial, WorkStage stage) {
  trial.stage = stage;
  trial.attempt = 0;
  trial.isStarted = false;
  scheduler.ready(job.itemOf(trial), now());
}

void JobLoop::finish(const Item &item, double seconds) {
  if (Job::isNetwork(item)) {
    scheduler.finishExtra(item, seconds, now());
  } else {
    scheduler.finish(item, seconds, now());
  }
}

void JobLoop::startStage(Job &job, const Item &item) {
  OpenTrial *trial = job.find(item.handle);
  bool isWanted = trial && !trial->isReported && job.itemOf(*trial) == item;
  bool isNetwork = trial && trial->id.round == kNetworkRound;
  if (!isWanted || (!isNetwork && !job.outOfTime(now()).empty())) {
    finish(item, 0);
    return;
  }
  ++trial->attempt;
  tuning::TrialWork work = job.workOf(*trial);
  llvm::Error error = trial->stage == WorkStage::Build
                          ? dispatcher.build(work)
                          : dispatcher.measure(work, trial->built.candidate);
  if (error) {
    options.say(work.trial + ": " + llvm::toString(std::move(error)));
    --trial->attempt;
    scheduler.abandon(item, now());
    workRetryAt = now() + 1;
    return;
  }
  trial->isStarted = true;
  trial->startedAt = now();
}

void JobLoop::take(Completion completion) {
  std::optional<store::TrialId> id = store::trialIdFromText(completion.trial);
  auto found = id ? jobs.find(id->job) : jobs.end();
  OpenTrial *trial = found == jobs.end() ? nullptr : found->second->find(id->round, id->place);
  bool isCurrent = trial && !trial->isReported && trial->isStarted &&
                   trial->stage == completion.stage && trial->attempt == completion.attempt;
  if (!isCurrent) {
    // A result that waits for its commit arrives again; it is acknowledged after the commit.
    if (!trial || !trial->isReported || trial->stage != completion.stage) {
      consumed.push_back(std::move(completion));
    }
    return;
  }
  Job &job = *found->second;
  trial->isStarted = false;
  finish(job.itemOf(*trial), completion.seconds);
  bool isOk = completion.outcome == Outcome::Ok;
  if (isOk && trial->id.round != kNetworkRound) {
    options.noteTime(completion.stage == WorkStage::Build ? "build" : "measure",
                     completion.seconds);
  }
  if (completion.stage == WorkStage::Build && isOk) {
    takeBuilt(job, *trial, completion);
    return;
  }
  bool isDisturbed = isOk && trial->id.round != kNetworkRound &&
                     tuning::medianNs(completion.measurement.samples) <= 0;
  if ((isDisturbed || completion.isLost) && trial->attempt < options.maxAttempts) {
    scheduler.ready(job.itemOf(*trial), now()); // another attempt
    consumed.push_back(std::move(completion));
    return;
  }
  if (isDisturbed) {
    completion.outcome = Outcome::TimeOut;
    completion.message = "no undisturbed sample";
  }
  if (trial->id.round == kNetworkRound) {
    takeNetwork(job, completion);
    consumed.push_back(std::move(completion));
    return;
  }
  report(job, *trial, completion, /*isKept=*/!completion.isLost);
  unstored.completions.push_back(std::move(completion));
}

void JobLoop::takeBuilt(Job &job, OpenTrial &trial, Completion &completion) {
  trial.built = completion;
  queueStage(job, trial, WorkStage::Measure);
  // If this process ends now, the next leader builds the trial again.
  consumed.push_back(std::move(completion));
}

void JobLoop::report(Job &job, OpenTrial &trial, const Completion &completion, bool isKept) {
  bool isBuild = completion.stage == WorkStage::Build;
  store::TrialResult result;
  result.id = trial.id;
  result.attempt = completion.attempt;
  result.outcome = completion.outcome;
  result.message = llvm::StringRef(completion.message).take_front(kMostResultText).str();
  result.samples = completion.measurement.samples;
  result.sentinelNs = completion.measurement.sentinelNs;
  result.artifact = isBuild ? completion.artifact : trial.built.artifact;
  result.builder = isBuild ? completion.worker : trial.built.worker;
  result.device = isBuild ? "" : completion.worker;
  result.deviceClass = job.spec.target_class();
  result.buildSeconds = isBuild ? completion.seconds : trial.built.seconds;
  result.measureSeconds = isBuild ? 0 : completion.seconds;
  if (isKept) {
    result.record = recordOf(job, trial, result);
    if (llvm::Error error = tuning::checkRecord(*result.record)) {
      // A worker may send anything; the database must be able to store it.
      result.outcome = Outcome::TimeOut;
      result.message = "the result cannot be stored: " + llvm::toString(std::move(error));
      result.samples.clear();
      result.record.reset();
    }
  }
  trial.isReported = true;
  unstored.results.push_back(std::move(result));
}

void JobLoop::acknowledge(std::vector<Completion> &completions) {
  if (llvm::Error error =
          completions.empty() ? llvm::Error::success() : dispatcher.acknowledge(completions)) {
    options.say(llvm::toString(std::move(error))); // they arrive again
  }
  completions.clear();
}

void JobLoop::takeStored(const StoreBatch &batch, const std::vector<bool> &isFirst) {
  for (size_t i = 0; i < batch.results.size(); ++i) {
    const store::TrialResult &result = batch.results[i];
    auto found = jobs.find(result.id.job);
    Job *job = found == jobs.end() ? nullptr : found->second.get(); // null: the job has ended
    // A result that is not the first may be one whose commit was in doubt.
    bool isNew = isFirst[i] || (job && job->find(result.id.round, result.id.place));
    if (isNew && result.record) {
      best.add(*result.record, result.id.job, result.device);
    }
    if (job) {
      job->applyResult(result);
      queuePropose(*job);
    }
  }
}

void JobLoop::restartLost() {
  constexpr double kEverySeconds = 1;
  double time = now();
  if (time - lostAt < kEverySeconds) {
    return;
  }
  lostAt = time;
  for (auto &[id, job] : jobs) {
    for (auto &[place, trial] : job->open) {
      restartLost(*job, trial, time);
    }
    if (job->network) {
      restartLost(*job, *job->network, time);
    }
    if (job->network) {
      giveUpNetwork(*job, time);
    }
  }
}

void JobLoop::restartLost(Job &job, OpenTrial &trial, double time) {
  // A large network takes minutes to compile.
  constexpr double kNetworkFactor = 10;
  bool isNetwork = trial.id.round == kNetworkRound;
  double limit = options.lostSeconds * (isNetwork ? kNetworkFactor : 1);
  if (!trial.isStarted || time - trial.startedAt < limit) {
    return;
  }
  Item item = job.itemOf(trial);
  trial.isStarted = false;
  if (trial.attempt < options.maxAttempts) {
    options.say(llvm::formatv("{0}: no result for {1:f0} s; starting the stage again",
                              trial.id.text(), limit));
    scheduler.abandon(item, time);
    return;
  }
  finish(item, 0);
  Completion lost;
  lost.stage = trial.stage;
  lost.attempt = trial.attempt;
  lost.outcome = Outcome::TimeOut;
  lost.message = llvm::formatv("lost {0} times", trial.attempt);
  if (isNetwork) {
    takeNetwork(job, lost);
  } else {
    report(job, trial, lost, /*isKept=*/false); // says nothing about the configuration
  }
}

} // namespace convoy::service
