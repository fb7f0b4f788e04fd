// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine can do at best, now: multiply-adds on registers, and reading
// memory. The loops are in a library that our own code generator writes for the
// target, so they use the vectors that its kernels may use.

#pragma once

#include "Spec.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace convoy::measure {

/// Threads that do the same thing at the same time, each on its own core. They
/// sleep in between, so as not to disturb what is measured.
class Team {
public:
  explicit Team(int threads);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Calls `work` once on each thread, the caller's included, and waits for all.
  void run(const std::function<void(int thread)> &work);
  int size() const { return static_cast<int>(workers.size()) + 1; }

private:
  void serve(int thread);

  std::mutex mutex;
  std::condition_variable changed;
  const std::function<void(int)> *work = nullptr;
  int64_t round = 0;
  int busy = 0;
  bool isOver = false;
  std::vector<std::thread> workers;
};

class Peak {
public:
  explicit Peak(const Spec &spec);

  /// A burst of some milliseconds on all threads: GFLOP/s.
  double burst();
  /// GB/s of all threads together reading `bytes` again and again.
  double readGbs(size_t bytes);

private:
  using MultiplyAdd = void (*)(int64_t iterations, float *data);
  using Read = void (*)(const char *data, int64_t bytes, float *sink);

  Team team;
  double flopsPerIteration;
  MultiplyAdd multiplyAdd = nullptr;
  Read read = nullptr;
  int64_t iterations = 1000;
  Buffer scratch;
};

} // namespace convoy::measure
