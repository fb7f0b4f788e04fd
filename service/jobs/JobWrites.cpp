// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives proposed trials and results to the StoreWriter and takes them back after the commit.

#include "service/jobs/JobLoop.h"
#include <chrono>

namespace convoy::service {
namespace {

/// The least time between the starts of two writes. Under load, a write has more rows then, which
/// costs less per row; a single result waits for this time at most.
constexpr double kCollectSeconds = 0.01;

template <typename Row>
void putInFront(std::vector<Row> &rows, std::vector<Row> front) {
  front.insert(front.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  rows = std::move(front);
}

} // namespace

llvm::Error JobLoop::writeRows() {
  if (llvm::Error error = takeWritten()) {
    return error;
  }
  double time = now();
  bool isTime = time >= storeRetryAt && time - writtenAt >= kCollectSeconds;
  if (!writer.isBusy() && !unstored.empty() && isTime) {
    writtenAt = time;
    writer.write(std::exchange(unstored, {}));
  }
  return llvm::Error::success();
}

llvm::Error JobLoop::takeWritten() {
  std::optional<WrittenBatch> written = writer.takeWritten();
  if (!written) {
    return llvm::Error::success();
  }
  StoreBatch &batch = written->batch;
  if (written->areTrialsStored) {
    takeStored(batch.trials);
    batch.trials.clear();
  }
  if (written->areResultsStored) {
    acknowledge(batch.completions);
    takeStored(batch, written->isFirst);
    batch.results.clear();
  }
  restoreRows(std::move(batch));
  return written->error ? retryLater(std::move(written->error)) : llvm::Error::success();
}

llvm::Error JobLoop::finishWrite() {
  while (writer.isBusy()) {
    if (llvm::Error error = takeWritten()) {
      return error;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return llvm::Error::success();
}

void JobLoop::restoreRows(StoreBatch batch) {
  putInFront(unstored.trials, std::move(batch.trials));
  putInFront(unstored.results, std::move(batch.results));
  putInFront(unstored.completions, std::move(batch.completions));
}

llvm::Error JobLoop::retryLater(llvm::Error error) {
  using Kind = store::StoreError::Kind;
  Kind kind = store::storeErrorKind(error);
  if (kind != Kind::Unavailable && kind != Kind::Exhausted) {
    return error;
  }
  options.say(llvm::toString(std::move(error)));
  storeRetryAt = now() + 0.5;
  return llvm::Error::success();
}

} // namespace convoy::service
