// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of both stages end the caller's wait. The reference of a task runs in a build process
// too; builds that end before it wait for its results.

#include "tuning/dispatch/LocalDispatcher.h"
#include "Support/MonotonicClock.h"
#include "tuning/measure/LocalMeasurer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

/// The reference is slow: each sum of a convolution in double precision.
constexpr double kReferenceSeconds = 1200;
/// The number of measured libraries that stay on the disk, for a look at a candidate that failed.
constexpr size_t kKeptLibraries = 64;
constexpr llvm::StringLiteral kDevice = "local";

/// Returns a C identifier. The same trial of a continued search gives the same library.
std::string libraryName(std::string trial) {
  std::replace_if(trial.begin(), trial.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return "trial_" + trial;
}

std::string resultsPath(llvm::StringRef folder, llvm::StringRef key) {
  return (folder + "/" + key.take_front(16) + "-results.raw").str();
}

/// Runs the reference in a build process. The answer has an error or nothing.
json::Object answerReference(const json::Object &request, const std::string &folder) {
  layout::Task task{request.getString("task").value_or("").str(),
                    request.getString("taskName").value_or("").str()};
  llvm::Expected<TaskData> data = TaskData::compute(task, folder);
  llvm::Error error = data ? data->save(resultsPath(folder, task.key())) : data.takeError();
  return error ? json::Object{{"error", json::fixUTF8(llvm::toString(std::move(error)))}}
               : json::Object{};
}

void setAffinity(pid_t thread, llvm::ArrayRef<int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) {
    CPU_SET(cpu, &set);
  }
  sched_setaffinity(thread, sizeof(set), &set);
}

} // namespace

LocalDispatcher::LocalDispatcher(Measurer &measurer, LocalDispatcherOptions given)
    : measurer(measurer), options(std::move(given)), allCpus(usableCpus()),
      wakeUp(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), caller(gettid()) {
  WorkerPoolOptions workers;
  workers.cpus = options.cpus;
  workers.timeoutSeconds = options.buildTimeoutSeconds;
  pool = std::make_unique<WorkerPool>(
      [build = BuildOptions{options.target, options.folder, options.isEmulated}](
          const json::Object &request) {
        return request.get("reference") ? answerReference(request, build.directory)
                                        : answerBuild(request, build);
      },
      workers);
  measurer.onUse([this](llvm::ArrayRef<int> cpus) { keepAway(cpus); });
  thread = std::thread([this] { measureAll(); });
}

LocalDispatcher::~LocalDispatcher() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
    queue.clear();
    measurer.cancelWait(true);
  }
  changed.notify_all();
  thread.join();
  measurer.cancelWait(false);
  measurer.onUse(nullptr);
  setAffinity(caller, allCpus);
  close(wakeUp);
}

void LocalDispatcher::keepAway(llvm::ArrayRef<int> cpus) {
  pool->pauseOn(cpus);
  std::vector<int> others;
  llvm::copy_if(allCpus, std::back_inserter(others),
                [&](int cpu) { return !llvm::is_contained(cpus, cpu); });
  // If the measurement uses all CPUs, the caller waits for its end.
  setAffinity(caller, others.empty() ? allCpus : others);
}

llvm::Error LocalDispatcher::build(const TrialWork &work) {
  std::string key = work.task->key();
  TaskFiles &files = tasks[key];
  if (!files.data && !files.isReferenceQueued) {
    files.task = *work.task;
    files.isReferenceQueued = true;
    uint64_t ticket = pool->submit(json::Object{{"reference", true},
                                                {"task", work.task->text},
                                                {"taskName", json::fixUTF8(work.task->name)}},
                                   kReferenceSeconds);
    references[ticket] = key;
  }
  std::string name = libraryName(work.trial);
  uint64_t ticket = pool->submit(toJson(BuildRequest{*work.task, work.configuration}, name));
  builds[ticket] = {work, key};
  return llvm::Error::success();
}

llvm::Error LocalDispatcher::measure(const TrialWork &work, const RunnableCandidate &candidate) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back({work, candidate});
  }
  changed.notify_all();
  return llvm::Error::success();
}

void LocalDispatcher::cancel(llvm::StringRef) {
  for (uint64_t ticket : pool->drop()) {
    builds.erase(ticket);
    auto reference = references.find(ticket);
    if (reference != references.end()) {
      tasks[reference->second].isReferenceQueued = false; // the next build queues it again
      references.erase(reference);
    }
  }
  std::unique_lock<std::mutex> lock(mutex);
  queue.clear();
  measurer.cancelWait(true);
  changed.wait(lock, [&] { return !isMeasuring; });
  measurer.cancelWait(false);
}

Capacity LocalDispatcher::capacity() {
  return {static_cast<int>(pool->running()), {{kDevice.str(), 1}}};
}

llvm::Error LocalDispatcher::takeData(const WorkerAnswer &answer, const std::string &key) {
  TaskFiles &files = tasks[key];
  std::string problem = answer.content.getString("error").value_or(answer.message).str();
  if (!problem.empty()) {
    return llvm::createStringError("cannot compute the expected results of a task: " + problem);
  }
  llvm::Expected<TaskData> data =
      TaskData::load(files.task, options.folder, resultsPath(options.folder, key));
  if (!data) {
    return data.takeError();
  }
  files.data = std::move(*data);
  for (auto &[completion, configuration] : std::exchange(files.waiting, {})) {
    if (llvm::Error error = finishBuild(files, std::move(completion), configuration)) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error LocalDispatcher::takeBuild(const WorkerAnswer &answer, const Building &building) {
  BuildResult result = toBuildResult(answer);
  Completion completion;
  completion.stage = WorkStage::Build;
  completion.trial = building.work.trial;
  completion.attempt = building.work.attempt;
  completion.seconds = answer.seconds;
  if (!result.isBuilt()) {
    completion.outcome = Outcome::BuildError;
    completion.message = result.problem + ": " + result.message;
    finished.push_back(std::move(completion));
    return llvm::Error::success();
  }
  completion.artifact = result.artifact;
  completion.candidate.library = result.candidate.files.library;
  completion.candidate.symbol = result.candidate.files.interface.model;
  completion.candidate.workspaceBytes = result.candidate.files.interface.workspaceBytes;
  TaskFiles &files = tasks[building.task];
  if (!files.data) {
    files.waiting.emplace_back(std::move(completion), building.work.configuration);
    return llvm::Error::success();
  }
  return finishBuild(files, std::move(completion), building.work.configuration);
}

llvm::Error LocalDispatcher::finishBuild(TaskFiles &files, Completion completion,
                                         const Configuration &configuration) {
  RunnableCandidate &candidate = completion.candidate;
  candidate.id = files.task.name + " " + configuration.text + " " + configuration.inputLayout;
  if (llvm::Error error = files.data->fill(candidate, configuration)) {
    return error;
  }
  finished.push_back(std::move(completion));
  return llvm::Error::success();
}

llvm::Error LocalDispatcher::takeAnswer(const WorkerAnswer &answer) {
  auto reference = references.find(answer.ticket);
  if (reference != references.end()) {
    return takeData(answer, reference->second);
  }
  auto building = builds.find(answer.ticket);
  llvm::Error error = takeBuild(answer, building->second);
  builds.erase(building);
  return error;
}

void LocalDispatcher::forgetLibrary(const std::string &path) {
  libraries.push_back(path);
  if (libraries.size() > kKeptLibraries) {
    [[maybe_unused]] std::error_code error = llvm::sys::fs::remove(libraries.front());
    libraries.pop_front();
  }
}

/// A process forks only while the thread waits, so that no lock is held in the new process.
void LocalDispatcher::restartBuilders() {
  std::lock_guard<std::mutex> lock(mutex);
  isForking = pool->needsStart();
  if (isForking && !isMeasuring) {
    pool->start();
    isForking = false;
  }
}

llvm::Expected<std::vector<Completion>> LocalDispatcher::wait(double seconds) {
  restartBuilders();
  if (pool->running() == 0 && pool->unanswered() > 0 && !isForking) {
    return llvm::createStringError("cannot start a build process");
  }
  std::unique_lock<std::mutex> lock(mutex);
  isCallerWaiting = true;
  lock.unlock();
  changed.notify_all();
  std::vector<WorkerAnswer> answers = pool->wait(seconds, wakeUp);
  lock.lock();
  changed.wait(lock, [&] { return !isMeasuring || !usesAllCpus(current.front()); });
  isCallerWaiting = false;
  eventfd_t count = 0;
  eventfd_read(wakeUp, &count);
  std::vector<Completion> completions = std::exchange(measured, {});
  std::string problem = failure;
  lock.unlock();
  for (const Completion &completion : completions) {
    forgetLibrary(completion.candidate.library);
  }
  for (const WorkerAnswer &answer : answers) {
    if (llvm::Error error = takeAnswer(answer)) {
      problem = llvm::toString(std::move(error));
    }
  }
  llvm::append_range(completions, std::exchange(finished, {}));
  if (problem.empty() || !completions.empty()) {
    return keepFailure(std::move(problem), std::move(completions));
  }
  return llvm::createStringError(problem);
}

/// Returns the results first, so that the caller can store them. The next wait() fails.
std::vector<Completion> LocalDispatcher::keepFailure(std::string problem,
                                                     std::vector<Completion> completions) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!problem.empty()) {
    failure = std::move(problem);
    eventfd_write(wakeUp, 1); // the next wait() returns at once
  }
  return completions;
}

bool LocalDispatcher::usesAllCpus(const Measuring &item) const {
  bool isTimed = item.work.plan.policy != Policy::Instructions;
  return isTimed && static_cast<size_t>(item.work.plan.threads) >= allCpus.size();
}

bool LocalDispatcher::mayMeasure() const {
  return !queue.empty() && !isForking && (isCallerWaiting || !usesAllCpus(queue.front()));
}

void LocalDispatcher::measureAll() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || mayMeasure(); });
    if (isEnding) {
      return;
    }
    current.clear();
    while (!queue.empty() && current.size() < measurer.parallel()) {
      current.push_back(std::move(queue.front()));
      queue.pop_front();
    }
    isMeasuring = true;
    lock.unlock();
    std::vector<Completion> completions = measureCurrent();
    lock.lock();
    isMeasuring = false;
    llvm::append_range(measured, std::move(completions));
    eventfd_write(wakeUp, 1);
    changed.notify_all();
  }
}

std::vector<Completion> LocalDispatcher::measureCurrent() {
  std::vector<Completion> completions(current.size());
  std::vector<RunnableCandidate> candidates;
  for (auto [completion, item] : llvm::zip(completions, current)) {
    completion.stage = WorkStage::Measure;
    completion.trial = item.work.trial;
    completion.attempt = item.work.attempt;
    completion.candidate.library = item.candidate.library;
    candidates.push_back(item.candidate);
  }
  double begin = monotonicSeconds() - measurer.waitedSeconds();
  llvm::Expected<std::vector<Measurement>> results =
      measurer.measure(candidates, current.front().work.plan);
  double seconds = monotonicSeconds() - measurer.waitedSeconds() - begin;
  if (!results && !results.errorIsA<WaitCanceled>()) {
    std::lock_guard<std::mutex> lock(mutex);
    failure = llvm::toString(results.takeError());
    return {};
  }
  std::string lost = results ? "" : llvm::toString(results.takeError());
  for (auto [i, completion] : llvm::enumerate(completions)) {
    completion.seconds = seconds / static_cast<double>(completions.size());
    completion.isLost = !lost.empty();
    if (completion.isLost) {
      completion.outcome = Outcome::TimeOut;
      completion.message = lost;
      continue;
    }
    completion.measurement = std::move((*results)[i]);
    completion.outcome = completion.measurement.outcome;
    completion.message = completion.measurement.message;
  }
  return completions;
}

} // namespace convoy::tuning
