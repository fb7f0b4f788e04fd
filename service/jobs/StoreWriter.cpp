// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/StoreWriter.h"

namespace convoy::service {

StoreWriter::StoreWriter(store::Store &database)
    : database(database), thread([this] { serve(); }) {}

StoreWriter::~StoreWriter() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  hasWork.notify_all();
  thread.join();
  if (written) { // nobody asks for it; a result that is not acknowledged arrives again
    llvm::consumeError(std::move(written->error));
  }
}

void StoreWriter::write(StoreBatch batch) {
  isGiven = true;
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting = std::move(batch);
  }
  hasWork.notify_all();
}

std::optional<WrittenBatch> StoreWriter::takeWritten() {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<WrittenBatch> result = std::move(written);
  written.reset();
  isGiven = isGiven && !result;
  return result;
}

void StoreWriter::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    hasWork.wait(lock, [&] { return isStopping || waiting; });
    if (!waiting) {
      return;
    }
    StoreBatch batch = std::move(*waiting);
    waiting.reset();
    lock.unlock();
    WrittenBatch outcome = writeNow(std::move(batch));
    lock.lock();
    written.emplace(std::move(outcome));
  }
}

WrittenBatch StoreWriter::writeNow(StoreBatch batch) {
  WrittenBatch outcome;
  outcome.batch = std::move(batch);
  const StoreBatch &rows = outcome.batch;
  outcome.error = rows.trials.empty() ? llvm::Error::success() : database.addTrials(rows.trials);
  if (outcome.error) {
    return outcome;
  }
  outcome.areTrialsStored = true;
  if (!rows.results.empty()) {
    llvm::Expected<std::vector<bool>> isFirst = database.finishTrials(rows.results);
    if (!isFirst) {
      outcome.error = isFirst.takeError();
      return outcome;
    }
    outcome.isFirst = std::move(*isFirst);
  }
  outcome.areResultsStored = true;
  return outcome;
}

} // namespace convoy::service
