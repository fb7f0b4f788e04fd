// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages of trials on other machines, through the work queues of NATS JetStream.
// service/queue/README.md describes streams, subjects and fencing; service/worker has the other
// side. The caller stores results and decides the order. All functions are thread-safe.

#pragma once

#include "service/queue/NatsConnection.h"
#include "service/queue/WorkerRegistry.h"
#include "tuning/dispatch/Dispatcher.h"

namespace convoy::service {

struct NatsDispatcherOptions {
  NatsOptions nats;
  /// Distinguishes the leader's work from the work of earlier leaders; it grows.
  int64_t epoch = 1;
  /// Stores the text of a task or a target where workers can fetch it and returns its SHA-256;
  /// BlobStore::put() in convoy-tuningd.
  std::function<llvm::Expected<std::string>(llvm::StringRef bytes)> putBlob;
  double ackWaitSeconds = 15; // the lease of a worker
  int64_t maxDeliver = 3;
  /// NATS keeps the ids of messages in memory for this time, to recognize repeated ones.
  double duplicatesSeconds = 60;
  /// The time after which work without a sign of life from a worker is examined; if its message
  /// is lost, it is published again. 0: as many leases as deliveries, and one more.
  double staleSeconds = 0;
  /// The time without a successful round trip after which the dispatcher makes a new connection.
  double stuckSeconds = 10;
  double heardSeconds = 10; // a worker counts as reachable for this time after its hello
  /// Removes the work that earlier leaders have published.
  bool isPurging = true;
  /// Receives messages for the log.
  std::function<void(const std::string &text)> say = [](const std::string &) {};
};

/// Counts of events since the start.
struct DispatcherCounts {
  int64_t published = 0, completed = 0;
  int64_t stale = 0;       // results of workers that had lost their lease, or of old attempts
  int64_t repeated = 0;    // results that arrived again after the caller stored them
  int64_t exhausted = 0;   // work that no worker finished
  int64_t republished = 0; // work whose message was lost
  int64_t reconnects = 0;
};

class NatsDispatcher : public tuning::Dispatcher {
public:
  /// Connects and creates the streams. If the server is not reachable, succeeds and connects
  /// later; a refused certificate is an error.
  static llvm::Expected<std::unique_ptr<NatsDispatcher>> create(NatsDispatcherOptions options);
  ~NatsDispatcher() override;

  /// Both return before NATS has stored the work. If NATS does not store it, the dispatcher
  /// publishes it again and accepts no other work until then.
  llvm::Error build(const tuning::TrialWork &work) override;
  llvm::Error measure(const tuning::TrialWork &work,
                      const tuning::RunnableCandidate &candidate) override;
  llvm::Expected<std::vector<tuning::Completion>> wait(double seconds) override;
  llvm::Error acknowledge(llvm::ArrayRef<tuning::Completion> completions) override;
  void cancel(llvm::StringRef job) override;
  tuning::Capacity capacity() override;

  /// Lists the workers that said hello since the start.
  std::vector<WorkerStatus> workers() const;
  /// Sets the state that a worker receives with its next hello, also for a worker that has not
  /// said hello yet.
  void setState(llvm::StringRef worker, WorkerState state);

  DispatcherCounts counts() const;
  /// Returns why NATS is not usable now; empty if it is.
  std::string problem() const;
  /// Returns whether a thread hangs in libnats. The process should end and be started again.
  bool isStuck() const;

private:
  class Impl;
  explicit NatsDispatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace convoy::service
