// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forked processes that answer requests one at a time: the linker is not thread-safe, and a crash
// or a hang of the compiler must not end the tuner. Each process is pinned to a CPU and pauses
// while another process measures there. BuildBatch.h and the local dispatcher use it.

#pragma once

#include "llvm/Support/JSON.h"
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace convoy::tuning {

struct WorkerPoolOptions {
  /// One process per element, pinned to this CPU; -1: not pinned.
  std::vector<int> cpus = {-1, -1};
  /// The limit of one request in CPU time, so that other programs on the machine do not matter. A
  /// process that waits has ten times as long. The time of a pause does not count.
  double timeoutSeconds = 20;
};

/// The answer to one request.
struct WorkerAnswer {
  uint64_t ticket = 0;
  /// Empty if the process has answered, else "crash" or "time-out". `message` describes it.
  std::string problem;
  std::string message;
  llvm::json::Object content;
  double seconds = 0; // without pauses
};

class WorkerPool {
public:
  /// Answers a request; runs in the processes.
  using Work = std::function<llvm::json::Object(const llvm::json::Object &request)>;

  WorkerPool(Work work, WorkerPoolOptions options);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Adds a request to the queue and returns its ticket. A time limit of 0 s means the pool's.
  uint64_t submit(llvm::json::Object request, double timeoutSeconds = 0);
  /// Removes the requests that no process has started and returns their tickets.
  std::vector<uint64_t> drop();
  /// Returns the number of requests without an answer.
  size_t unanswered() const;

  /// Waits at most `seconds` for an answer, for the end of a process, or until the file `other` is
  /// readable. Returns all answers. Starts the requests of the queue.
  std::vector<WorkerAnswer> wait(double seconds, int other = -1);

  /// Returns the number of running processes.
  size_t running() const;
  bool needsStart() const { return running() < workers.size(); }
  /// Starts the missing processes. Forks, so the caller must have no other running thread.
  void start();

  /// Pauses the processes on these CPUs and continues the others. Any thread may call it.
  void pauseOn(llvm::ArrayRef<int> cpus);

private:
  struct Request {
    uint64_t ticket = 0;
    std::string line;
    double timeoutSeconds = 0;
    int repeats = 0; // after a signal from outside
  };
  struct Worker {
    int cpu = -1;
    pid_t process = 0;    // 0: not running
    int socket = -1;      // for requests and answers
    uint64_t ticket = 0;  // of the request in progress; 0: none
    Request request;      // in progress
    std::string received; // the incomplete answer
    bool isLate = false;  // killed at the time limit
    bool isPaused = false;
    double started = 0, pausedAt = 0, pausedSeconds = 0;
    double startedCpu = 0; // CPU time of the process at the start of the request
  };

  void start(Worker &worker);
  /// Answers requests until the pool closes the socket.
  void serve(int socket, int cpu) const;
  void give(Worker &worker);
  void takeAnswer(Worker &worker, std::vector<WorkerAnswer> &answers);
  void takeEnd(Worker &worker, std::vector<WorkerAnswer> &answers);
  void killLate();
  /// Returns the running time of the request in progress.
  static double runningSeconds(const Worker &worker);
  /// Returns the time that the request in progress runs at least until its limit.
  static double remainingSeconds(const Worker &worker);
  void setPaused(Worker &worker, bool isPaused);
  int pollMilliseconds(double seconds) const;

  Work work;
  WorkerPoolOptions options;
  /// Guards the processes and their pauses. Only the owner's thread changes other members.
  mutable std::mutex mutex;
  std::vector<Worker> workers;
  std::vector<int> busyCpus;
  std::deque<Request> queue;
  uint64_t lastTicket = 0;
};

} // namespace convoy::tuning
