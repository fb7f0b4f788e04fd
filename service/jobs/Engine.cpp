// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/Engine.h"
#include "service/jobs/ConfigurationMessage.h"
#include "service/jobs/InLoop.h"
#include "service/jobs/SpecProblem.h"

namespace convoy::service {
namespace {

BestConfiguration answerOf(const BestChoice &choice) {
  BestConfiguration message;
  *message.mutable_configuration() = messageOf(choice.configuration);
  message.set_ns(choice.ns);
  message.set_samples(choice.samples);
  Provenance &provenance = *message.mutable_provenance();
  provenance.set_job(choice.job);
  provenance.set_device(choice.worker);
  provenance.set_trial(choice.trial);
  provenance.set_compiler(choice.compiler);
  provenance.set_unix_us(choice.unixUs);
  return message;
}

} // namespace

Engine::Engine(EngineOptions options, store::Store &database, tuning::Dispatcher &dispatcher,
               Fleet fleet)
    : options(std::move(options)), database(database), fleet(std::move(fleet)),
      loop(this->options.loop, database, dispatcher, board, best) {}

llvm::Error Engine::load() {
  llvm::Expected<std::vector<store::DeviceRow>> devices = database.devices();
  if (!devices) {
    return devices.takeError();
  }
  for (const store::DeviceRow &device : *devices) {
    if (std::optional<WorkerState> state = workerStateFromName(device.state)) {
      fleet.setState(device.name, *state);
    }
  }
  return loop.load();
}

llvm::Error Engine::run() {
  llvm::Error result = llvm::Error::success();
  while (!isStopping && !result) {
    runCommands();
    result = loop.tick(options.pollSeconds);
  }
  {
    // No command is added after this, so runCommands() answers all of them.
    std::lock_guard<std::mutex> lock(commandMutex);
    isStopping = true;
  }
  board.stop();
  runCommands();
  return result;
}

void Engine::runCommands() {
  std::vector<std::function<void()>> now;
  {
    std::lock_guard<std::mutex> lock(commandMutex);
    now.swap(commands);
  }
  for (const std::function<void()> &command : now) {
    command();
  }
}

bool Engine::post(std::function<void()> command) {
  std::lock_guard<std::mutex> lock(commandMutex);
  if (isStopping) {
    return false;
  }
  commands.push_back(std::move(command));
  return true;
}

llvm::Expected<BestAnswer> Engine::lookupBest(const BestQuery &query) {
  BestAnswer answer;
  TaskQuery one;
  one.target = query.target();
  one.policy = query.policy();
  for (const TemplateVersion &version : query.templates()) {
    one.templateVersions[version.id()] = static_cast<int>(version.version());
  }
  for (const TaskUse &task : query.tasks()) {
    one.task = task.key();
    BestOfTask &found = *answer.add_tasks();
    found.set_key(task.key());
    for (const std::shared_ptr<const BestChoice> &choice : best.find(one)) {
      *found.add_configurations() = answerOf(*choice);
    }
  }
  return answer;
}

llvm::Expected<JobStatus> Engine::createJob(const JobSpec &request) {
  JobSpec spec = request;
  if (!spec.model().empty() && options.checkModel) {
    if (llvm::Error error = options.checkModel(spec.model())) {
      return apiError(ErrorCode::Invalid, "model: " + llvm::toString(std::move(error)));
    }
  }
  if (!spec.model().empty() && spec.tasks().empty() && options.tasksOfModel) {
    llvm::Expected<std::vector<TaskSpec>> tasks = options.tasksOfModel(spec);
    if (!tasks) {
      return apiError(ErrorCode::Invalid, "model: " + llvm::toString(tasks.takeError()));
    }
    *spec.mutable_tasks() = {tasks->begin(), tasks->end()};
  }
  std::string problem = problemOf(spec);
  if (!problem.empty()) {
    return apiError(ErrorCode::Invalid, problem);
  }
  llvm::Expected<targets::Target> target = targets::parseTarget(spec.target(), "target");
  if (!target) {
    return apiError(ErrorCode::Invalid, llvm::toString(target.takeError()));
  }
  return inLoop<JobStatus>([this, spec = std::move(spec), target = std::move(*target)] {
    return loop.create(spec, target);
  });
}

llvm::Expected<JobStatus> Engine::getJob(const std::string &id) {
  if (std::optional<JobStatus> status = board.find(id)) {
    return std::move(*status);
  }
  return apiError(ErrorCode::NotFound, "no job has the id '" + id + "'");
}

llvm::Expected<JobList> Engine::listJobs(const JobFilter &filter) { return board.list(filter); }

llvm::Error Engine::watchJob(const std::string &id, const JobWatcher &watcher) {
  return board.watch(id, watcher);
}

llvm::Expected<JobStatus> Engine::pauseJob(const std::string &id) {
  return inLoop<JobStatus>([this, id] { return loop.pause(id); });
}

llvm::Expected<JobStatus> Engine::resumeJob(const std::string &id) {
  return inLoop<JobStatus>([this, id] { return loop.resume(id); });
}

llvm::Expected<JobStatus> Engine::cancelJob(const std::string &id) {
  return inLoop<JobStatus>([this, id] { return loop.cancel(id); });
}

llvm::Expected<JobStatus> Engine::extendJob(const JobExtension &extension) {
  std::string problem = problemOf(extension);
  if (!problem.empty()) {
    return apiError(ErrorCode::Invalid, problem);
  }
  return inLoop<JobStatus>([this, extension] { return loop.extend(extension); });
}

llvm::Expected<Health> Engine::health() {
  Health health;
  health.set_is_leader(!isStopping);
  health.set_epoch(database.epoch());
  health.set_version(options.version);
  return health;
}

} // namespace convoy::service
