// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that builders and agents share: fetching work, extending leases, saying hello,
// publishing results, stopping, and noticing a stuck connection. BuildWorker.h and MeasureAgent.h
// do the work.

#pragma once

#include "service/queue/Messages.h"
#include "service/queue/NatsConnection.h"
#include "service/queue/WorkerRegistry.h"
#include <atomic>
#include <functional>

namespace convoy::service {

/// Does the work of one slot or device. Each object is used by one thread.
class WorkStation {
public:
  virtual ~WorkStation() = default;
  /// Fills the fields of a result that depend on the work. An error means that this worker cannot
  /// do the work now; another worker gets it.
  virtual llvm::Error run(const WorkMessage &work, ResultMessage &result) = 0;
  /// Describes the worker. Called by another thread than run().
  virtual WorkerHello hello() = 0;
  /// Returns false while the lease must expire although the station works; for tests of faults.
  virtual bool extendsLease() { return true; }
  /// Returns why the station can never work again; empty if it can. The worker then ends, so that
  /// its supervisor starts it again.
  virtual std::string whyBroken() { return ""; }
  /// Called between two trials and while the worker takes no work.
  virtual void rest() {}
};

struct WorkerOptions {
  NatsOptions nats;
  tuning::WorkStage stage = tuning::WorkStage::Build;
  std::string stream, consumer; // the queue
  double helloSeconds = 2;
  double fetchSeconds = 1; // the time that one request for work waits at the server
  /// The worker ends if it has no successful round trip for this time.
  double stuckSeconds = 30;
  /// The time at a stop for work in progress.
  double stopSeconds = 5;
  std::function<void(const std::string &text)> say = [](const std::string &) {};
};

/// Why a worker ended.
enum class WorkerEnd {
  Stopped,   ///< As requested.
  GivenBack, ///< As requested, while work was in progress that another worker gets now.
  Refused,   ///< The server refuses the certificate or a permission.
  Stuck,     ///< The connection or a station does not work. A supervisor starts the program again.
};

/// Runs until `isStopping`, a refusal or a stuck connection. At the stop, waits a few seconds for
/// work in progress. After GivenBack and Stuck, threads may still run: the caller must end the
/// process at once, by _exit().
WorkerEnd runWorker(const WorkerOptions &options,
                    std::vector<std::unique_ptr<WorkStation>> stations,
                    const std::atomic<bool> &isStopping);

} // namespace convoy::service
