// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/Job.h"
#include "service/jobs/ConfigurationMessage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

namespace convoy::service {

using tuning::Outcome;

Job::Job(std::string id, service::scheduler::JobId number, JobSpec spec, targets::Target target)
    : id(std::move(id)), number(number), spec(std::move(spec)),
      target(std::make_shared<targets::Target>(std::move(target))) {
  figures.resize(this->spec.tasks_size());
  for (const TaskSpec &task : this->spec.tasks()) {
    taskKeys.push_back(tuning::taskHash(task.text()));
  }
}

bool Job::canPropose() const {
  auto lookAhead = static_cast<int64_t>(tuning::kLookAhead);
  // The proposal of round k needs the results of all rounds up to k - 1 - lookAhead.
  bool hasTrials = spec.max_trials() == 0 || requested < spec.max_trials();
  return hasTrials && !isExhausted &&
         (openPlaces.empty() || openPlaces.begin()->first >= rounds - lookAhead);
}

void Job::addTrial(const store::TrialRow &trial) {
  rounds = std::max(rounds, trial.id.round + 1);
  ++requested;
  isDirty = true;
  OpenTrial open;
  open.id = trial.id;
  open.task = static_cast<size_t>(trial.task);
  open.configuration = trial.configuration;
  if (trial.result) {
    count(*trial.result, open);
    return;
  }
  ++openPlaces[trial.id.round];
  this->open[{trial.id.round, trial.id.place}] = std::move(open);
}

void Job::count(const store::TrialResult &result, const OpenTrial &trial) {
  ++done;
  deviceSeconds += result.measureSeconds;
  failed += result.outcome != Outcome::Ok;
  TaskFigures &task = figures[trial.task];
  ++task.trials;
  std::optional<double> seconds = secondsOf(result);
  if (!seconds) {
    return;
  }
  double ns = *seconds * 1e9;
  if (prepared && prepared->tasks[trial.task].space.first().configuration == trial.configuration) {
    task.defaultNs = ns; // the compiler's choice without measurements
  }
  if (task.bestNs == 0 || ns < task.bestNs) {
    task.bestNs = ns;
    task.best = trial.configuration;
  }
}

void Job::applyResult(const store::TrialResult &result) {
  auto found = open.find({result.id.round, result.id.place});
  if (found == open.end()) {
    return;
  }
  count(result, found->second);
  open.erase(found);
  auto round = openPlaces.find(result.id.round);
  if (--round->second == 0) {
    openPlaces.erase(round);
  }
  isDirty = true;
  kept.push_back(result);
  if (!isSearching && prepared) {
    applyKept();
  }
}

void Job::applyKept() {
  for (const store::TrialResult &result : kept) {
    prepared->search->complete(result.id.round, static_cast<size_t>(result.id.place),
                               secondsOf(result));
  }
  kept.clear();
}

void Job::setStored(llvm::ArrayRef<std::shared_ptr<const BestChoice>> choices, double us) {
  storedUs = us;
  for (auto [task, choice] : llvm::zip(figures, choices)) {
    if (choice && (task.bestNs == 0 || choice->ns < task.bestNs)) {
      task.bestNs = choice->ns;
      task.best = choice->configuration;
    }
  }
}

void Job::setSpec(JobSpec changed) {
  spec = std::move(changed);
  isExhausted = false;
  isDirty = true;
  if (prepared) {
    prepared->search->setTrialLimit(spec.max_trials());
  }
}

void Job::setPrepared(std::unique_ptr<PreparedSearch> search) {
  prepared = std::move(search);
  for (const store::TrialRow &trial : restored) {
    auto task = static_cast<size_t>(trial.task);
    const tuning::Configuration &own = prepared->tasks[task].space.first().configuration;
    std::optional<double> seconds = trial.result ? secondsOf(*trial.result) : std::nullopt;
    if (seconds && trial.configuration == own) {
      figures[task].defaultNs = *seconds * 1e9;
    }
  }
  restored.clear();
}

service::scheduler::Item Job::itemOf(const OpenTrial &trial) const {
  using service::scheduler::Stage;
  bool isBuild = trial.stage == tuning::WorkStage::Build;
  return {number, isBuild ? Stage::Build : Stage::Measure, handleOf(trial)};
}

bool Job::isNetwork(const service::scheduler::Item &item) {
  return item.stage != service::scheduler::Stage::Propose &&
         item.handle >> kPlaceBits == kNetworkRound;
}

OpenTrial *Job::find(int64_t round, int64_t place) {
  if (round == kNetworkRound) {
    return network && network->id.place == place ? &*network : nullptr;
  }
  auto found = open.find({round, place});
  return found == open.end() ? nullptr : &found->second;
}

void Job::forEachOpen(llvm::function_ref<void(OpenTrial &trial)> visit) {
  for (auto &[place, trial] : open) {
    visit(trial);
  }
  if (network) {
    visit(*network);
  }
}

bool Job::wantsNetwork() const {
  // Boards are emulated, so they do not time a network.
  return !spec.model().empty() && !spec.skips_network() &&
         tuning::policyOf(*target) != tuning::Policy::Instructions;
}

std::string Job::usedUp(double nowUnixSeconds) const {
  if (spec.max_trials() > 0 && done >= spec.max_trials()) {
    return llvm::formatv("all {0} trials are done", spec.max_trials());
  }
  return outOfTime(nowUnixSeconds);
}

std::string Job::outOfTime(double nowUnixSeconds) const {
  double wall = nowUnixSeconds - static_cast<double>(startedUs) * 1e-6;
  if (spec.max_wall_seconds() > 0 && startedUs > 0 && wall > spec.max_wall_seconds()) {
    return llvm::formatv("the limit of {0:f0} s is reached", spec.max_wall_seconds());
  }
  if (spec.max_device_seconds() > 0 && deviceSeconds >= spec.max_device_seconds()) {
    return llvm::formatv("the limit of {0:f1} device-seconds is reached",
                         spec.max_device_seconds());
  }
  return "";
}

double Job::estimateEnd(std::optional<double> left, double nowUnixSeconds) const {
  if (state == JobState::PAUSED) {
    return 0;
  }
  double end = left ? nowUnixSeconds + *left : 0;
  auto limit = [&](double other) { end = end == 0 ? other : std::min(end, other); };
  double started = static_cast<double>(startedUs) * 1e-6;
  if (spec.max_wall_seconds() > 0 && startedUs > 0) {
    limit(started + spec.max_wall_seconds());
  }
  if (spec.max_device_seconds() > 0 && startedUs > 0 && deviceSeconds > 0) {
    // The job uses the devices at its rate so far.
    limit(started + (nowUnixSeconds - started) * spec.max_device_seconds() / deviceSeconds);
  }
  return end > 0 ? std::max(end, nowUnixSeconds) : 0;
}

void Job::setEstimatedEnd(double unixSeconds, double nowUnixSeconds) {
  constexpr double kLeastSeconds = 1, kLeastShare = 0.05; // of the time that is left
  // Limits may be beyond the range of int64_t microseconds.
  constexpr double kMostSeconds = 9e12;
  double bounded = std::min(unixSeconds, kMostSeconds);
  auto end = static_cast<int64_t>(bounded * 1e6);
  double change = std::abs(static_cast<double>(end - estimatedEndUs)) * 1e-6;
  double least = std::max(kLeastSeconds, kLeastShare * (bounded - nowUnixSeconds));
  isDirty |= change > least || (end == 0) != (estimatedEndUs == 0);
  if (isDirty) {
    estimatedEndUs = end; // otherwise, small changes could add up
  }
}

void Job::restore(const JobStatus &progress) {
  startedUs = progress.started_us();
  storedUs = progress.stored_us();
  warning = progress.warning();
  for (auto [figure, task] : llvm::zip(figures, progress.tasks())) {
    if (task.best_ns() > 0 && (figure.bestNs == 0 || task.best_ns() < figure.bestNs)) {
      figure.bestNs = task.best_ns();
      figure.best = configurationOf(task.configuration());
    }
  }
  if (!progress.has_network()) {
    return;
  }
  networkTime = progress.network();
  if (networkTime->us() > 0 && progress.best_us() > 0) {
    networkFactor = networkTime->us() / progress.best_us();
    timedUs = networkTime->problem().empty() ? progress.best_us() : timedUs;
  }
}

std::optional<JobEnd> Job::whyEnd(double nowUnixSeconds) const {
  if (ending) {
    return ending;
  }
  if (state == JobState::PAUSED) {
    return std::nullopt;
  }
  if (std::optional<JobEnd> met = latencyMet()) {
    return met;
  }
  bool isBusy = llvm::any_of(
      open, [](const auto &place) { return place.second.isStarted || place.second.isReported; });
  std::string limit = usedUp(nowUnixSeconds);
  // Trials that wait for a builder or a device do not delay the end of a job out of time.
  if (isBusy || (!open.empty() && outOfTime(nowUnixSeconds).empty())) {
    return std::nullopt;
  }
  if (!limit.empty()) {
    return JobEnd{JobState::BUDGET_DONE, limit};
  }
  if (isExhausted) {
    return JobEnd{JobState::CONVERGED, "all configurations were tried"};
  }
  return std::nullopt;
}

std::optional<JobEnd> Job::latencyMet() const {
  double sum = bestUs();
  if (spec.latency_us() <= 0 || sum <= 0 || sum * networkFactor > spec.latency_us()) {
    return std::nullopt;
  }
  // A later build may have failed; then the time is of slower configurations.
  if (networkTime && networkTime->us() > 0 && networkTime->us() <= spec.latency_us()) {
    return JobEnd{JobState::SLA_MET,
                  llvm::formatv("the network takes {0:f1} us ({1:f1} to {2:f1}), at most {3:f1} us "
                                "were required",
                                networkTime->us(), networkTime->low_us(), networkTime->high_us(),
                                spec.latency_us())};
  }
  return JobEnd{JobState::SLA_MET,
                llvm::formatv("the kernels take {0:f1} us in sum, at most {1:f1} us were "
                              "required; the whole network was not timed",
                              sum, spec.latency_us())};
}

double Job::sumUs(double TaskFigures::*ns) const {
  double sum = 0;
  for (size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].*ns <= 0) {
      return 0;
    }
    sum += figures[i].*ns * static_cast<double>(spec.tasks(static_cast<int>(i)).count()) * 1e-3;
  }
  return sum;
}

JobStatus Job::status() const {
  JobStatus status;
  status.set_id(id);
  status.set_project(spec.project());
  status.set_state(state);
  status.set_reason(reason);
  status.set_target_class(spec.target_class());
  status.set_priority(spec.priority());
  status.set_trials_requested(requested);
  status.set_trials_done(done);
  status.set_trials_failed(failed);
  status.set_max_trials(spec.max_trials());
  status.set_policy(tuning::name(tuning::policyOf(*target)).str());
  status.set_default_us(sumUs(&TaskFigures::defaultNs));
  status.set_best_us(bestUs());
  status.set_device_seconds(deviceSeconds);
  status.set_created_us(createdUs);
  status.set_started_us(startedUs);
  status.set_updated_us(updatedUs);
  status.set_ended_us(endedUs);
  status.set_stored_us(storedUs);
  status.set_warning(warning);
  status.set_estimated_end_us(estimatedEndUs);
  if (networkTime) {
    *status.mutable_network() = *networkTime;
  }
  for (size_t i = 0; i < figures.size(); ++i) {
    const TaskSpec &task = spec.tasks(static_cast<int>(i));
    TaskStatus &now = *status.add_tasks();
    now.set_key(taskKeys[i]);
    now.set_name(task.name());
    now.set_count(task.count());
    now.set_trials(figures[i].trials);
    now.set_default_ns(figures[i].defaultNs);
    now.set_best_ns(figures[i].bestNs);
    *now.mutable_configuration() = messageOf(figures[i].best);
  }
  return status;
}

tuning::TrialWork Job::networkWorkOf(const OpenTrial &trial) const {
  // Half a minute of samples at most, unless one inference takes long.
  constexpr int kSamples = 30;
  constexpr double kSampleMs = 10, kTimeoutMs = 300000;
  tuning::TrialWork work;
  work.network = networkWork;
  work.plan.policy = tuning::Policy::Warm;
  work.plan.samples = kSamples;
  work.plan.sampleMs = kSampleMs;
  work.plan.timeoutMs = kTimeoutMs;
  if (trial.built.network) {
    work.byDefault = trial.built.network->byDefault;
    work.plan.isInterleaved = !work.byDefault.library.empty();
  }
  return work;
}

tuning::TrialWork Job::workOf(const OpenTrial &trial) const {
  tuning::TrialWork work;
  if (trial.id.round == kNetworkRound) {
    work = networkWorkOf(trial);
  } else {
    work.task = prepared->shared[trial.task];
    work.plan.policy = tuning::policyOf(*target);
  }
  work.trial = trial.id.text();
  work.attempt = trial.attempt;
  work.target = target;
  work.deviceClass = spec.target_class();
  work.configuration = trial.configuration;
  work.plan.threads = static_cast<int>(spec.threads());
  return work;
}

} // namespace convoy::service
