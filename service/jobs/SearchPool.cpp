// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/SearchPool.h"
#include <chrono>
#include <sys/resource.h>

namespace convoy::service {

/// The nice value of the threads. A search computes for up to a second; calls of the API and the
/// results of devices take some microseconds and must not wait for it.
static constexpr int kNice = 10;

SearchPool::SearchPool(int count) {
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([this] { serve(); });
  }
}

SearchPool::~SearchPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopping = true;
  }
  hasWork.notify_all();
  for (std::thread &thread : threads) {
    thread.join();
  }
}

void SearchPool::post(std::function<void()> work, std::function<void(double)> then) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back({std::move(work), std::move(then)});
  }
  hasWork.notify_one();
}

void SearchPool::serve() {
  setpriority(PRIO_PROCESS, 0, kNice); // of this thread, on Linux
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    hasWork.wait(lock, [&] { return isStopping || !waiting.empty(); });
    if (isStopping) {
      return;
    }
    Piece piece = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    auto begin = std::chrono::steady_clock::now();
    piece.work();
    piece.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    lock.lock();
    finished.push_back(std::move(piece));
  }
}

bool SearchPool::runFinished() {
  std::vector<Piece> pieces;
  {
    std::lock_guard<std::mutex> lock(mutex);
    pieces.swap(finished);
  }
  for (Piece &piece : pieces) {
    piece.then(piece.seconds);
  }
  return !pieces.empty();
}

} // namespace convoy::service
