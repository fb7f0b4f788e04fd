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
  /// Called between two trials and while the worker takes no work.
  virtual void rest() {}
};

struct WorkerOptions {
  NatsOptions nats;
  tuning::WorkStage stage = tuning::WorkStage::Build;
  std::string stream, consumer; // the queue
  double helloSeconds = 2;
  /// The worker ends if it has no successful round trip for this time.
  double stuckSeconds = 30;
  std::function<void(const std::string &text)> say = [](const std::string &) {};
};

/// Why a worker ended.
enum class WorkerEnd {
  Stopped, ///< As requested.
  Refused, ///< The server refuses the certificate or a permission.
  Stuck,   ///< The connection does not work; threads may hang in it. The caller must end the
           ///< process without destroying objects; a supervisor starts it again.
};

/// Runs until `isStopping`, a refusal or a stuck connection. At the stop, finishes work in progress
/// within a few seconds or gives it back.
WorkerEnd runWorker(const WorkerOptions &options,
                    std::vector<std::unique_ptr<WorkStation>> stations,
                    const std::atomic<bool> &isStopping);

} // namespace convoy::service
