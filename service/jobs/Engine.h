// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the calls of the tuning service. Threads of the API read published states and
// BestRecords; the thread of run() executes all changes in a JobLoop.

#pragma once

#include "service/jobs/JobLoop.h"
#include "service/queue/WorkerRegistry.h"
#include <atomic>

namespace convoy::service {

/// The reachable builders and devices, and the state that the operator wants.
struct Fleet {
  std::function<std::vector<WorkerStatus>()> workers;
  std::function<void(llvm::StringRef worker, WorkerState state)> setState;
};

struct EngineOptions {
  JobLoopOptions loop;
  double pollSeconds = 0.02;
  std::string version;
  /// Returns an error if the model that a job names is not in the blob store.
  std::function<llvm::Error(const std::string &model)> checkModel;
  /// Returns the tasks of the model that a job names.
  std::function<llvm::Expected<std::vector<TaskSpec>>(const JobSpec &spec)> tasksOfModel;
};

class Engine : public TuningApi {
public:
  /// The store must lead. The arguments must outlive the engine.
  Engine(EngineOptions options, store::Store &database, tuning::Dispatcher &dispatcher,
         Fleet fleet);

  /// Reads the jobs of the store. Call it before run().
  llvm::Error load();
  /// Runs the jobs until stop() is called. An error means that this process must not go on.
  llvm::Error run();
  void stop() { isStopping = true; }

  llvm::Expected<BestAnswer> lookupBest(const BestQuery &query) override;
  llvm::Expected<JobStatus> createJob(const JobSpec &spec) override;
  llvm::Expected<JobStatus> getJob(const std::string &id) override;
  llvm::Expected<JobList> listJobs(const JobFilter &filter) override;
  llvm::Error watchJob(const std::string &id, const JobWatcher &watcher) override;
  llvm::Expected<JobStatus> pauseJob(const std::string &id) override;
  llvm::Expected<JobStatus> resumeJob(const std::string &id) override;
  llvm::Expected<JobStatus> cancelJob(const std::string &id) override;
  llvm::Expected<JobStatus> extendJob(const JobExtension &extension) override;
  llvm::Error exportRecords(const RecordsQuery &query, const LinesReader &reader) override;
  llvm::Expected<ImportResult> importRecords(const RecordsImport &import) override;
  llvm::Expected<DeviceList> listDevices() override;
  llvm::Expected<DeviceStatus> changeDevice(const DeviceRequest &request,
                                            DeviceState state) override;
  llvm::Expected<Usage> usage(const UsageQuery &query) override;
  llvm::Expected<Health> health() override;

private:
  /// Runs a function in the thread of run() and waits for its result.
  template <typename Result>
  llvm::Expected<Result> inLoop(std::function<llvm::Expected<Result>()> function);
  /// Adds a function that the thread of run() calls. Returns false if the engine stops.
  bool post(std::function<void()> command);
  void runCommands();
  llvm::Expected<std::set<std::string>> recordsOf(const RecordsQuery &query);

  EngineOptions options;
  store::Store &database;
  Fleet fleet;
  StatusBoard board;
  BestRecords best;
  JobLoop loop;
  std::atomic<bool> isStopping{false};
  std::mutex commandMutex;
  std::vector<std::function<void()>> commands;
};

} // namespace convoy::service
