// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the peak performance of the machine: multiply-add in registers, and memory reads.
// Convoy's code generator creates the library with these loops for the target, so the loops
// use the same vector instructions as kernels.

#pragma once

#include "Spec.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace convoy::measure {

/// Runs the same function on several threads at the same time, each on its own CPU. The
/// threads sleep between calls, so they do not disturb other measurements.
class Team {
public:
  explicit Team(int threads);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Calls `work` once on each thread, including the calling thread, and waits for all
  /// threads.
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

  /// Runs on all threads for some milliseconds and returns GFLOP/s.
  double burst();
  /// Returns the total GB/s of all threads that read `bytes` bytes repeatedly.
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
