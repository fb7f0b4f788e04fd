// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and measures trials on this machine, side by side: processes build on all CPUs, and a
// thread hands candidates to the measurer, as many as it measures at the same time. A process
// pauses while its CPU measures, and this thread's work stays away from that CPU. If a candidate
// uses all CPUs, the caller's thread is held in wait() until the measurement has ended.

#pragma once

#include "tuning/build/BuildBatch.h"
#include "tuning/dispatch/Dispatcher.h"
#include "tuning/measure/TaskData.h"
#include <condition_variable>
#include <deque>
#include <thread>

namespace convoy::tuning {

struct LocalDispatcherOptions {
  targets::Target target;
  std::string folder; // for libraries and data; the caller removes it
  /// The CPUs to build on, one process each.
  std::vector<int> cpus;
  double buildTimeoutSeconds = 20;
  /// Whether an emulator runs the candidates: BuildOptions::isLoadable.
  bool isEmulated = false;
};

class LocalDispatcher : public Dispatcher {
public:
  /// Forks the build processes, so the caller must have no other threads. The caller may use the
  /// measurer itself while no work of measure() is unfinished.
  LocalDispatcher(Measurer &measurer, LocalDispatcherOptions options);
  ~LocalDispatcher() override;

  llvm::Error build(const TrialWork &work) override;
  llvm::Error measure(const TrialWork &work, const RunnableCandidate &candidate) override;
  llvm::Expected<std::vector<Completion>> wait(double seconds) override;
  llvm::Error acknowledge(llvm::ArrayRef<Completion>) override { return llvm::Error::success(); }
  /// Drops all work that has not started, and waits for the end of the current measurement. If it
  /// waits for an idle machine, it ends at once and its result is lost.
  void cancel(llvm::StringRef job) override;
  Capacity capacity() override;

private:
  struct Building {
    TrialWork work;
    std::string task; // key
  };
  struct TaskFiles {
    layout::Task task;
    std::optional<TaskData> data; // nothing until the reference has run
    bool isReferenceQueued = false;
    /// Builds that wait for the data.
    std::vector<std::pair<Completion, Configuration>> waiting;
  };
  struct Measuring {
    TrialWork work;
    RunnableCandidate candidate;
  };

  llvm::Error takeAnswer(const WorkerAnswer &answer);
  llvm::Error takeData(const WorkerAnswer &answer, const std::string &key);
  llvm::Error takeBuild(const WorkerAnswer &answer, const Building &building);
  /// Adds the task's input data to a built candidate.
  llvm::Error finishBuild(TaskFiles &files, Completion completion,
                          const Configuration &configuration);
  void forgetLibrary(const std::string &path);
  void restartBuilders();
  std::vector<Completion> keepFailure(std::string problem, std::vector<Completion> completions);

  // The thread.
  void measureAll();
  /// Returns nothing if the measurer fails.
  std::vector<Completion> measureCurrent();
  bool mayMeasure() const;
  bool usesAllCpus(const Measuring &item) const;
  /// Keeps builds and the caller's thread away from CPUs.
  void keepAway(llvm::ArrayRef<int> cpus);

  Measurer &measurer;
  LocalDispatcherOptions options;
  std::vector<int> allCpus;
  std::unique_ptr<WorkerPool> pool;
  std::map<uint64_t, Building> builds;        // by ticket
  std::map<uint64_t, std::string> references; // keys of tasks by ticket
  std::map<std::string, TaskFiles> tasks;     // by key
  std::vector<Completion> finished;           // builds
  std::deque<std::string> libraries;          // measured, oldest first

  // Shared with the thread.
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Measuring> queue;
  std::vector<Measuring> current;
  std::vector<Completion> measured;
  std::string failure; // of the measurer or of a task's data; wait() reports it after all results
  bool isMeasuring = false, isCallerWaiting = false, isForking = false, isEnding = false;
  int wakeUp;   // an eventfd that ends the caller's wait
  pid_t caller; // thread id
  std::thread thread;
};

} // namespace convoy::tuning
