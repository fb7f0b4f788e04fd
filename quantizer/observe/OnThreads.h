// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the workers of a pool on threads. A pool of the quantizer has memory for a fixed number of
// workers, so each worker has a thread of its own; llvm::parallelFor chooses the number itself.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <thread>
#include <vector>

namespace convoy::quantizer {

/// Calls work(0) to work(count - 1) and waits for all. Worker 0 runs on the calling thread.
inline void onThreads(size_t count, llvm::function_ref<void(size_t worker)> work) {
  std::vector<std::thread> threads;
  for (size_t worker = 1; worker < count; ++worker) {
    threads.emplace_back(work, worker);
  }
  work(0);
  for (std::thread &thread : threads) {
    thread.join();
  }
}

} // namespace convoy::quantizer
