// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads for the searches of jobs: reading tasks, enumerating spaces, training cost models. The
// engine's loop posts work and later runs the continuation of each finished piece in its own
// thread.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace convoy::service {

class SearchPool {
public:
  explicit SearchPool(int threads);
  /// Waits for running work. Work that has not started is dropped.
  ~SearchPool();
  SearchPool(const SearchPool &) = delete;
  SearchPool &operator=(const SearchPool &) = delete;

  /// Runs `work` in a thread of the pool. `then` runs in the thread that calls runFinished(); its
  /// argument is the duration of the work.
  void post(std::function<void()> work, std::function<void(double seconds)> then);

  /// Runs the continuations of finished work. Returns whether there was one.
  bool runFinished();

private:
  struct Piece {
    std::function<void()> work;
    std::function<void(double)> then;
    double seconds = 0;
  };
  void serve();

  std::mutex mutex;
  std::condition_variable hasWork;
  std::deque<Piece> waiting;
  std::vector<Piece> finished;
  bool isStopping = false;
  std::vector<std::thread> threads;
};

} // namespace convoy::service
