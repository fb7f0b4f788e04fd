// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes proposed trials and results to the store in a thread of its own, so that the JobLoop
// starts work and takes results during a commit. While a batch is written, the loop collects the
// next one.

#pragma once

#include "service/store/Store.h"
#include "tuning/dispatch/Dispatcher.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace convoy::service {

/// The rows of one write.
struct StoreBatch {
  std::vector<store::TrialRow> trials; // proposed
  std::vector<store::TrialResult> results;
  std::vector<tuning::Completion> completions; // of `results`: acknowledge after the commit

  bool empty() const { return trials.empty() && results.empty(); }
};

/// A batch after its write. An error concerns the part that is not stored; the parts are stored in
/// this order.
struct WrittenBatch {
  StoreBatch batch;
  bool areTrialsStored = false;
  bool areResultsStored = false;
  std::vector<bool> isFirst; // of the results: Store::finishTrials()
  llvm::Error error = llvm::Error::success();
};

class StoreWriter {
public:
  explicit StoreWriter(store::Store &database);
  /// Waits for the batch in progress.
  ~StoreWriter();

  /// Whether a batch was given whose outcome was not taken.
  bool isBusy() const { return isGiven; }
  /// Starts to write a batch. Only if the writer is not busy.
  void write(StoreBatch batch);
  /// Returns the batch after its write, or nothing while it is written. The caller checks the
  /// error.
  std::optional<WrittenBatch> takeWritten();

private:
  void serve();
  WrittenBatch writeNow(StoreBatch batch);

  store::Store &database;
  bool isGiven = false; // used by the thread of the caller
  std::mutex mutex;     // guards all that follows
  std::condition_variable hasWork;
  bool isStopping = false;
  std::optional<StoreBatch> waiting;
  std::optional<WrittenBatch> written;
  std::thread thread; // last: it uses the other fields
};

} // namespace convoy::service
