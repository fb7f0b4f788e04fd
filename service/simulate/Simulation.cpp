// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The event loop. Events of the same time are processed before the scheduler starts new items.

#include "service/simulate/Simulation.h"
#include "service/simulate/JobModel.h"
#include "service/simulate/Random.h"
#include "service/simulate/ShareWatch.h"
#include <algorithm>
#include <ctime>
#include <queue>
#include <set>

namespace convoy::service {
namespace {

/// Returns the CPU time of this thread, which other programs on the machine do not change.
double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

using service::scheduler::Item;
using service::scheduler::JobId;
using service::scheduler::JobSpec;
using service::scheduler::JobStatus;
using service::scheduler::Scheduler;

enum class EventKind { Release, ItemEnd, ItemLost, WorkerDeath, DeviceLoss, Return };

struct Event {
  double time = 0;
  int64_t number = 0; // orders events of the same time
  EventKind kind = EventKind::Release;
  size_t index = 0;        // of the job or of the run of an item
  std::string deviceClass; // of a device that returns; empty: a builder

  bool operator>(const Event &other) const {
    return time != other.time ? time > other.time : number > other.number;
  }
};

/// One attempt of an item.
struct Run {
  Item item;
  double start = 0, seconds = 0;
  int slot = 0;
  bool isDead = false; // its worker died; only the lease ends it
};

/// The slots of a resource, for the chart.
struct Lanes {
  std::set<int> free;
  int count = 0;

  int take() {
    if (free.empty()) {
      return count++;
    }
    int slot = *free.begin();
    free.erase(free.begin());
    return slot;
  }
};

class Simulator {
public:
  Simulator(const Load &load, std::unique_ptr<service::scheduler::Policy> policy,
            const SimulationOptions &options);
  SimulationResult run();

private:
  struct SimulatedJob {
    JobModel model;
    size_t project;
    double aloneSeconds;
  };

  /// Calls the scheduler and adds the real time of the call to the result.
  template <typename Call>
  auto timed(Call call);
  void push(double time, EventKind kind, size_t index = 0, std::string deviceClass = {});
  void handle(const Event &event);
  void release(size_t job);
  void proposeIfPossible(size_t job);
  void addReady(size_t job, Stage stage, int64_t handle);
  void startItems();
  void endItem(Run &run);
  void loseItem(Run &run);
  void closeSpan(const Run &run, bool isLost);
  void finishJob(size_t job);
  void loseCapacity(Stage stage);
  void applyCounts();
  Lanes &lanesOf(const Item &item);

  const Load &load;
  SimulationOptions options;
  Scheduler scheduler;
  Random random;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  int64_t eventNumber = 0;
  double now = 0;
  std::vector<SimulatedJob> jobs;
  std::vector<Run> runs;
  std::vector<size_t> freeRuns;
  std::set<size_t> active; // indices of runs
  std::array<double, service::scheduler::kStages> busySeconds{};
  int lostBuilders = 0;
  std::map<std::string, int> lostDevices;
  size_t unfinished;
  ShareWatch shares;
  std::map<std::string, Lanes> lanes;
  SimulationResult result;
};

Simulator::Simulator(const Load &load, std::unique_ptr<service::scheduler::Policy> policy,
                     const SimulationOptions &options)
    : load(load), options(options), scheduler(std::move(policy), options.scheduler),
      random(options.seed), unfinished(load.jobs.size()) {
  scheduler.setSearchSlots(load.searchSlots);
  applyCounts();
  for (size_t i = 0; i < load.jobs.size(); ++i) {
    const LoadJob &job = load.jobs[i];
    jobs.push_back({JobModel(job.rounds, job.batch, options.lookAhead), shares.add(job.project),
                    aloneSeconds(load, job)});
    push(job.releaseSeconds, EventKind::Release, i);
  }
  result.jobs.resize(load.jobs.size());
  if (options.faults.workerDeathSeconds > 0) {
    push(random.exponential(options.faults.workerDeathSeconds), EventKind::WorkerDeath);
  }
  if (options.faults.deviceLossSeconds > 0) {
    push(random.exponential(options.faults.deviceLossSeconds), EventKind::DeviceLoss);
  }
}

template <typename Call>
auto Simulator::timed(Call call) {
  double start = cpuSeconds();
  auto answer = call();
  result.schedulerSeconds += cpuSeconds() - start;
  return answer;
}

void Simulator::push(double time, EventKind kind, size_t index, std::string deviceClass) {
  events.push({time, eventNumber++, kind, index, std::move(deviceClass)});
}

void Simulator::applyCounts() {
  scheduler.setBuildSlots(load.buildSlots - lostBuilders);
  for (const auto &[name, count] : load.devices) {
    scheduler.setDevices(name, count - lostDevices[name]);
  }
}

SimulationResult Simulator::run() {
  while (unfinished > 0 && !events.empty()) {
    now = events.top().time;
    shares.advance(now);
    while (!events.empty() && events.top().time == now) {
      Event event = events.top();
      events.pop();
      handle(event);
    }
    startItems();
  }
  result.makespanSeconds = now;
  result.lowerBoundSeconds = lowerBoundSeconds(load);
  result.jainIndex = shares.jainIndex(kShareSeconds);
  result.buildUse = busySeconds[1] / (load.buildSlots * now);
  result.deviceUse = busySeconds[2] / (load.deviceCount() * now);
  return std::move(result);
}

void Simulator::handle(const Event &event) {
  switch (event.kind) {
  case EventKind::Release:
    return release(event.index);
  case EventKind::ItemEnd:
    if (!runs[event.index].isDead) {
      endItem(runs[event.index]);
      active.erase(event.index);
      freeRuns.push_back(event.index);
    }
    return;
  case EventKind::ItemLost:
    loseItem(runs[event.index]);
    active.erase(event.index);
    return;
  case EventKind::WorkerDeath:
    push(now + random.exponential(options.faults.workerDeathSeconds), EventKind::WorkerDeath);
    return loseCapacity(Stage::Build);
  case EventKind::DeviceLoss:
    push(now + random.exponential(options.faults.deviceLossSeconds), EventKind::DeviceLoss);
    return loseCapacity(Stage::Measure);
  case EventKind::Return:
    --(event.deviceClass.empty() ? lostBuilders : lostDevices[event.deviceClass]);
    return applyCounts();
  }
}

void Simulator::release(size_t job) {
  const LoadJob &from = load.jobs[job];
  JobSpec spec;
  spec.project = from.project;
  spec.deviceClass = from.deviceClass;
  spec.tier = from.tier;
  spec.trials = from.trials();
  spec.batch = from.batch;
  timed([&] { return scheduler.submit(JobId(job), spec, now); });
  proposeIfPossible(job);
}

void Simulator::proposeIfPossible(size_t job) {
  if (std::optional<int64_t> round = jobs[job].model.propose()) {
    addReady(job, Stage::Propose, *round);
  }
}

void Simulator::addReady(size_t job, Stage stage, int64_t handle) {
  shares.addWaiting(jobs[job].project, 1);
  timed([&] { return scheduler.ready({JobId(job), stage, handle}, now); });
}

Lanes &Simulator::lanesOf(const Item &item) {
  switch (item.stage) {
  case Stage::Propose:
    return lanes["search"];
  case Stage::Build:
    return lanes["build"];
  case Stage::Measure:
    break;
  }
  return lanes[load.jobs[static_cast<size_t>(item.job)].deviceClass];
}

void Simulator::startItems() {
  for (const Item &item : timed([&] { return scheduler.next(now); })) {
    auto job = static_cast<size_t>(item.job);
    shares.addWaiting(jobs[job].project, -1);
    Run run{item, now, load.jobs[job].itemSeconds(item.stage, item.handle)};
    run.slot = options.keepsSpans ? lanesOf(item).take() : 0;
    bool isHung = item.stage == Stage::Measure && options.faults.hungTrialShare > 0 &&
                  random.between(0, 1) < options.faults.hungTrialShare;
    run.isDead = isHung;
    size_t index = freeRuns.empty() ? runs.size() : freeRuns.back();
    if (freeRuns.empty()) {
      runs.push_back(run);
    } else {
      freeRuns.pop_back();
      runs[index] = run;
    }
    active.insert(index);
    if (item.stage == Stage::Measure) {
      shares.addMeasuring(jobs[job].project, 1);
    }
    push(now + (isHung ? options.faults.trialLimitSeconds : run.seconds),
         isHung ? EventKind::ItemLost : EventKind::ItemEnd, index);
  }
}

void Simulator::closeSpan(const Run &run, bool isLost) {
  auto job = static_cast<size_t>(run.item.job);
  busySeconds[static_cast<size_t>(run.item.stage)] += now - run.start;
  if (run.item.stage == Stage::Measure) {
    shares.addMeasuring(jobs[job].project, -1);
  }
  if (options.keepsSpans) {
    lanesOf(run.item).free.insert(run.slot);
    result.spans.push_back({job, run.item.stage, run.slot, run.start, now, isLost});
  }
}

void Simulator::endItem(Run &run) {
  const Item item = run.item;
  auto job = static_cast<size_t>(item.job);
  closeSpan(run, /*isLost=*/false);
  timed([&] { return scheduler.finish(item, run.seconds, now); });
  int64_t batch = load.jobs[job].batch;
  switch (item.stage) {
  case Stage::Propose:
    jobs[job].model.endProposal();
    for (int64_t place = 0; place < batch; ++place) {
      addReady(job, Stage::Build, item.handle * batch + place);
    }
    break;
  case Stage::Build:
    addReady(job, Stage::Measure, item.handle);
    break;
  case Stage::Measure:
    ++result.trials;
    ++result.jobs[job].trials;
    jobs[job].model.complete(item.handle);
    break;
  }
  proposeIfPossible(job);
  if (jobs[job].model.isFinished()) {
    finishJob(job);
  }
}

void Simulator::finishJob(size_t job) {
  JobOutcome &outcome = result.jobs[job];
  JobStatus status = *scheduler.job(JobId(job), now);
  outcome.endSeconds = now;
  outcome.slowdown = (now - load.jobs[job].releaseSeconds) / jobs[job].aloneSeconds;
  outcome.longestWaitSeconds = status.longestWaitSeconds;
  outcome.longestWaitOfBound = status.longestWaitOfBound;
  timed([&] { return scheduler.remove(JobId(job), now); });
  --unfinished;
}

void Simulator::loseItem(Run &run) {
  ++result.abandoned;
  closeSpan(run, /*isLost=*/true);
  shares.addWaiting(jobs[static_cast<size_t>(run.item.job)].project, 1);
  timed([&] { return scheduler.abandon(run.item, now); });
}

/// Takes a builder or a device away. If it was busy, its item is abandoned after the lease.
void Simulator::loseCapacity(Stage stage) {
  std::string deviceClass;
  int64_t victim = static_cast<int64_t>(random.below(
      static_cast<size_t>(stage == Stage::Build ? load.buildSlots : load.deviceCount())));
  if (stage == Stage::Measure) {
    auto at = load.devices.begin();
    for (; victim >= at->second; ++at) {
      victim -= at->second;
    }
    deviceClass = at->first;
  }
  int &lost = stage == Stage::Build ? lostBuilders : lostDevices[deviceClass];
  int count = stage == Stage::Build ? load.buildSlots : load.devices.at(deviceClass);
  if (lost + 1 >= count) {
    return; // the last one stays, so every job ends
  }
  ++lost;
  for (size_t index : active) {
    Run &run = runs[index];
    const std::string &ofRun = load.jobs[static_cast<size_t>(run.item.job)].deviceClass;
    if (run.item.stage == stage && !run.isDead && (deviceClass.empty() || ofRun == deviceClass)) {
      run.isDead = true;
      push(now + options.faults.leaseSeconds, EventKind::ItemLost, index);
      break;
    }
  }
  push(now + options.faults.returnSeconds, EventKind::Return, 0, deviceClass);
  applyCounts();
}

} // namespace

SimulationResult simulate(const Load &load, std::unique_ptr<service::scheduler::Policy> policy,
                          const SimulationOptions &options) {
  return Simulator(load, std::move(policy), options).run();
}

} // namespace convoy::service
