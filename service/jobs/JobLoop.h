// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The jobs that have not ended, and their way through search, builders, devices and store. One
// thread calls all functions; Engine.h passes the calls of the API to that thread.
//
//     scheduler --items--> SearchPool      proposes a round; its trials are stored, then built
//                     \--> dispatcher      builds and measures trials
//     results  --> StoreWriter (commit) --> acknowledge --> search, BestRecords
//
// The database is the system of record: a new leader rebuilds each search from the stored trials.

#pragma once

#include "service/jobs/BestRecords.h"
#include "service/jobs/Job.h"
#include "service/jobs/SearchPool.h"
#include "service/jobs/StatusBoard.h"
#include "service/jobs/StoreWriter.h"
#include "service/scheduler/Scheduler.h"

namespace convoy::service {

struct JobLoopOptions {
  std::string policy = "balanced";
  int searchThreads = 1;
  /// The loop hands out this many items per builder or device, so that a worker has its next item
  /// when it finishes one.
  double itemsPerSlot = 2;
  /// A stage without a result for this time is started again.
  double lostSeconds = 120;
  /// A stage that was lost this often makes the trial a failure.
  int maxAttempts = 6;
  /// The network of a job is not built or timed if no worker for it was reachable for this time.
  /// After a change of the leader, workers say hello again within seconds.
  double unreachableSeconds = 60;
  /// Marks a blob as used. The loop calls it for the models and the networks of its jobs.
  std::function<void(llvm::StringRef blob)> keepBlob = [](llvm::StringRef) {};
  std::function<void(const std::string &text)> say = [](const std::string &) {};
  /// Receives the time of each stage that has ended with success.
  std::function<void(llvm::StringRef stage, double seconds)> noteTime = [](llvm::StringRef,
                                                                           double) {};
};

class JobLoop {
public:
  /// The store must lead. The arguments must outlive the loop.
  JobLoop(JobLoopOptions options, store::Store &database, tuning::Dispatcher &dispatcher,
          StatusBoard &board, BestRecords &best);

  /// Reads the projects, jobs and records of the store.
  llvm::Error load();
  /// Takes results, starts work and writes what has changed. Waits at most `waitSeconds` for
  /// results. An error means that this process must not go on: another process leads, or the store
  /// does not fit this program.
  llvm::Error tick(double waitSeconds);

  // The changes that users request. Each returns the new state of the job.
  llvm::Expected<JobStatus> create(const JobSpec &spec, const targets::Target &target);
  llvm::Expected<JobStatus> pause(const std::string &id);
  llvm::Expected<JobStatus> resume(const std::string &id);
  llvm::Expected<JobStatus> cancel(const std::string &id);
  llvm::Expected<JobStatus> extend(const JobExtension &extension);
  /// Creates jobs that measure the fastest configurations of imported records again. The imported
  /// times themselves are not stored.
  llvm::Expected<ImportResult> importRecords(const std::string &project,
                                             llvm::ArrayRef<tuning::Record> records);

private:
  using Item = service::scheduler::Item;
  using Stage = service::scheduler::Stage;
  using JobNumber = service::scheduler::JobId;

  // JobLoop.cpp
  /// Reads limits and the usage of the current quota window.
  llvm::Error loadProjects();
  void updateCapacity();
  void startItems();
  void endJobs();
  llvm::Error end(Job &job, const JobEnd &why);
  void publish(bool isForced);
  /// Updates the estimated ends that are shown.
  void estimateEnds();
  /// Keeps the blobs of jobs that have not ended. The store removes blobs that nobody uses.
  void keepBlobs();
  /// Publishes a job after a change by a user, with a new estimate, and returns its status.
  JobStatus publishNow(Job &job);

  // JobCreation.cpp, JobChanges.cpp
  llvm::Expected<Job *> require(const std::string &id);
  llvm::Expected<JobStatus> change(Job &job, JobState state, const std::string &reason);
  /// Returns the job that an earlier request with the same key has created.
  llvm::Expected<JobStatus> earlierJob(const store::JobRow &row);
  /// Takes what the stored records say about a new job, which they may end.
  void useRecords(Job &job) const;
  Job &insert(std::unique_ptr<Job> job);
  /// Adds a job of the store with its trials, or publishes the state of an ended one. `number`: the
  /// scheduler has admitted the job; nothing: an earlier leader has.
  llvm::Error restore(const store::JobRow &row, std::optional<JobNumber> number = std::nullopt);
  /// Ends a job whose row this program cannot read.
  llvm::Error refuse(const store::JobRow &row, const std::string &why);
  llvm::Expected<JobNumber> admit(const JobSpec &spec, int64_t doneTrials);
  /// Continues a job whose budget was used up.
  llvm::Expected<JobStatus> reopen(const JobExtension &extension);
  llvm::Error storeReopened(const store::JobRow &row);

  // JobImports.cpp
  struct KnownTarget {
    std::string json, deviceClass;
    int64_t threads = 1;
  };
  /// Returns the targets of all jobs by fingerprint.
  llvm::Expected<std::map<std::string, KnownTarget>> knownTargets() const;
  llvm::Error addConfirmation(const JobSpec &spec,
                              llvm::ArrayRef<std::vector<tuning::Configuration>> rounds);

  // JobSearches.cpp
  void queuePropose(Job &job);
  void startPropose(Job &job, const Item &item);
  void noteStart(Job &job);
  void takeRound(const std::string &id, const Item &item, double seconds,
                 llvm::Expected<std::optional<tuning::SearchRound>> round);
  /// Starts the trials that are stored.
  void takeStored(llvm::ArrayRef<store::TrialRow> trials);

  // JobTrials.cpp
  void queueStage(Job &job, OpenTrial &trial, tuning::WorkStage stage);
  void startStage(Job &job, const Item &item);
  /// Reports an item to the scheduler that ended. The network of a job is no trial: its long stages
  /// would falsify the estimates and use up the reserved quota of the trials.
  void finish(const Item &item, double seconds);
  void take(tuning::Completion completion);
  void takeBuilt(Job &job, OpenTrial &trial, tuning::Completion &completion);
  /// Keeps a result until it is stored. `isKept`: with a record of the configuration.
  void report(Job &job, OpenTrial &trial, const tuning::Completion &completion, bool isKept = true);
  /// Acknowledges the results that are stored, and gives them to the jobs.
  void takeStored(const StoreBatch &batch, const std::vector<bool> &isFirst);
  void acknowledge(std::vector<tuning::Completion> &completions);
  void restartLost();
  void restartLost(Job &job, OpenTrial &trial, double time);

  // JobNetwork.cpp
  /// Returns whether a job may end. If its network has to be built and timed first, starts that.
  bool isSettled(Job &job, const JobEnd &why);
  /// Takes the time of the network, or the reason why there is none.
  void takeNetwork(Job &job, const tuning::Completion &completion);
  /// Ends the network stage of a job if no worker can take it.
  void giveUpNetwork(Job &job, double time);

  // JobWrites.cpp
  /// Takes the outcome of the last write and starts the next one.
  llvm::Error writeRows();
  llvm::Error takeWritten();
  /// Waits for the write in progress.
  llvm::Error finishWrite();
  /// Puts the rows of a failed write in front of the rows that wait.
  void restoreRows(StoreBatch batch);
  /// Keeps the data after a write failed for a reason that may pass. Returns other errors.
  llvm::Error retryLater(llvm::Error error);
  /// Returns Unix seconds of a clock that does not jump.
  double now() const;

  JobLoopOptions options;
  store::Store &database;
  tuning::Dispatcher &dispatcher;
  StatusBoard &board;
  BestRecords &best;
  service::scheduler::Scheduler scheduler;

  std::map<std::string, std::unique_ptr<Job>> jobs; // not ended
  std::map<JobNumber, Job *> byNumber;
  std::map<std::pair<std::string, std::string>, std::string> byKey; // by project and key
  std::map<std::string, int> devices; // the scheduler's devices by class
  int64_t lastNumber = 0;
  int64_t networkBuilds = 0; // of all jobs: their places differ

  StoreBatch unstored;                      // waits for the writer
  std::vector<tuning::Completion> consumed; // acknowledge at once
  double unixOffset = 0;                    // of the steady clock
  double capacityAt = 0, publishedAt = 0, estimatedAt = 0, keptAt = 0, writtenAt = 0,
         storeRetryAt = 0, workRetryAt = 0, lostAt = 0;

  StoreWriter writer;
  SearchPool pool; // last: its threads use the jobs
};

} // namespace convoy::service
