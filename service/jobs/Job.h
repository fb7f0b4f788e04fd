// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job that has not ended: its search, its open trials and its figures. The engine's loop owns it.
// While a thread of the SearchPool uses the search, results wait in the job.

#pragma once

#include "service/jobs/BestRecords.h"
#include "service/jobs/PreparedSearch.h"
#include "service/scheduler/Job.h"
#include "tuning/dispatch/Dispatcher.h"

namespace convoy::service {

/// A trial without a stored result.
struct OpenTrial {
  store::TrialId id;
  size_t task = 0;
  tuning::Configuration configuration;
  tuning::WorkStage stage = tuning::WorkStage::Build; // waits for it, or runs in it
  int attempt = 0;                                    // of the stage
  bool isStarted = false;
  double startedAt = 0;
  tuning::Completion built; // after the build stage
  bool isReported = false;  // has a result that is not stored yet
};

/// The round of the build and the timing of the whole network. Searches have smaller rounds.
constexpr int64_t kNetworkRound = int64_t{1} << 40;
/// The places of a round, in the handles of the scheduler's items.
constexpr int kPlaceBits = 16;
constexpr int64_t kMostPlace = (int64_t{1} << kPlaceBits) - 1;

/// Returns what the samples of a network say. `isSingle`: it has one thread.
NetworkTime networkTime(const tuning::Completion &built, const tuning::Completion &measured,
                        bool isSingle);

/// The end of a job and the reason.
struct JobEnd {
  JobState state;
  std::string reason;

  /// Whether the job has found configurations.
  bool isResult() const {
    return state == JobState::SLA_MET || state == JobState::BUDGET_DONE ||
           state == JobState::CONVERGED || state == JobState::CACHED_HIT;
  }
};

class Job {
public:
  Job(std::string id, service::scheduler::JobId number, JobSpec spec, targets::Target target);

  // The search.
  /// Whether the search may propose another round now: the results of all rounds before the
  /// look-ahead have arrived.
  bool canPropose() const;
  /// Adds a trial of a proposed or restored round.
  void addTrial(const store::TrialRow &trial);
  /// Removes the open trial of a stored result and gives the result to the search, or keeps it
  /// while the search is in use or not prepared.
  void applyResult(const store::TrialResult &result);

  /// Gives the kept results to the search, after a thread has used it.
  void applyKept();
  /// Takes the fastest stored configurations by task, null for a task without one, and the sum of
  /// their times over all kernels.
  void setStored(llvm::ArrayRef<std::shared_ptr<const BestChoice>> choices, double us);
  /// Changes the limits. Not while a thread uses the search.
  void setSpec(JobSpec changed);
  /// Sets the search that a thread has prepared.
  void setPrepared(std::unique_ptr<PreparedSearch> search);

  /// Finds an open trial or the network.
  OpenTrial *find(int64_t round, int64_t place);
  /// Calls `visit` with each open trial and the network.
  void forEachOpen(llvm::function_ref<void(OpenTrial &trial)> visit);
  static int64_t handleOf(const OpenTrial &trial) {
    return trial.id.round << kPlaceBits | trial.id.place;
  }
  /// Returns the scheduler's item of the stage that a trial waits for or runs in.
  service::scheduler::Item itemOf(const OpenTrial &trial) const;
  OpenTrial *find(int64_t handle) { return find(handle >> kPlaceBits, handle & kMostPlace); }
  /// Whether an item of the scheduler builds or times a network instead of a trial.
  static bool isNetwork(const service::scheduler::Item &item);

  /// Returns why the job ends now; nothing if it goes on.
  std::optional<JobEnd> whyEnd(double nowUnixSeconds) const;
  /// Returns why the job must not propose further rounds; empty if it may.
  std::string usedUp(double nowUnixSeconds) const;
  /// Returns why the job must start no further stage; empty if it may.
  std::string outOfTime(double nowUnixSeconds) const;
  /// Returns the Unix seconds at which the job probably ends, and 0 if that is unknown. `left` are
  /// the seconds that its trials need, if they are known; the limits of time may end it earlier.
  double estimateEnd(std::optional<double> left, double nowUnixSeconds) const;
  /// Sets the end that the status shows. A small change of a known end is not published at once.
  void setEstimatedEnd(double unixSeconds, double nowUnixSeconds);
  JobStatus status() const;
  /// Takes what an earlier process has published: what the stored records said at the creation, the
  /// start and the network. Call it after addTrial().
  void restore(const JobStatus &progress);
  /// Takes the end of a stage of the network: its time, or why there is none. A failure keeps an
  /// earlier time with its files.
  void takeNetwork(const tuning::Completion &completion);
  /// Returns why the network waits in vain: no worker for it was reachable for `graceSeconds`.
  /// Empty if it may go on.
  std::string networkObstacle(const service::scheduler::PoolStatus &pool, double now,
                              double graceSeconds);
  /// Returns the blobs that the job needs until it ends: its model and its compiled network.
  std::vector<std::string> blobs() const;
  /// Whether the whole network is built and timed before the job ends.
  bool wantsNetwork() const;
  /// Returns the sum of the fastest configurations over all kernels in microseconds; 0: unknown.
  double bestUs() const { return sumUs(&TaskFigures::bestNs); }
  tuning::TrialWork workOf(const OpenTrial &trial) const;

  const std::string id;
  const service::scheduler::JobId number;
  JobSpec spec;
  std::shared_ptr<const targets::Target> target;
  std::unique_ptr<PreparedSearch> prepared; // null until a thread has prepared it
  /// The stored trials of a job that an earlier process has started, until `prepared` is set.
  std::vector<store::TrialRow> restored;
  bool isSearching = false;                              // a thread uses `prepared` and `restored`
  bool isProposeQueued = false;                          // the scheduler has a Propose item
  int64_t proposals = 0;                                 // the handles of Propose items
  bool isExhausted = false;                              // the search has nothing left to propose
  std::optional<JobEnd> ending;                          // ends when no thread uses the search
  std::map<std::pair<int64_t, int64_t>, OpenTrial> open; // by round and place

  // The whole network.
  std::optional<OpenTrial> network; // is built or timed
  std::shared_ptr<const tuning::NetworkWork> networkWork;
  std::optional<NetworkTime> networkTime; // the last one with a time, and the last problem
  std::optional<double> unreachableSince; // no worker can take the network
  double timedUs = -1;                    // the sum of the kernels when the network was built
  double networkFactor = 1;               // the time of the network / the sum of its kernels

  // What the status shows.
  JobState state = JobState::QUEUED;
  std::string reason, warning;
  double storedUs = 0;
  int64_t estimatedEndUs = 0; // 0: unknown
  int64_t requested = 0, done = 0, failed = 0;
  double deviceSeconds = 0;
  int64_t createdUs = 0, startedUs = 0, updatedUs = 0, endedUs = 0;
  bool isDirty = true; // the published status is older

private:
  struct TaskFigures {
    int64_t trials = 0;
    double defaultNs = 0, bestNs = 0;
    tuning::Configuration best;
  };
  /// Returns the end of a job that has reached its latency.
  std::optional<JobEnd> latencyMet() const;
  tuning::TrialWork networkWorkOf(const OpenTrial &trial) const;
  void keepNetwork(const OpenTrial &trial, llvm::StringRef problem);
  void count(const store::TrialResult &result, const OpenTrial &trial);
  /// Returns the sum over all kernels in microseconds; 0 if a task has no time.
  double sumUs(double TaskFigures::*ns) const;

  std::vector<store::TrialResult> kept;
  std::map<int64_t, int64_t> openPlaces; // the number of open trials by round, without zeros
  int64_t rounds = 0;
  std::vector<TaskFigures> figures;  // by task
  std::vector<std::string> taskKeys; // by task
};

} // namespace convoy::service
