// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads the few expensive evaluators over the machine's cores.

#include "reference/Parallel.h"
#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace convoy::reference {

// Below this many multiply-adds (a millisecond or two) a thread costs more than
// it saves.
constexpr double kWorthAThread = 2e6;

void parallelFor(int64_t count, double itemCost, llvm::function_ref<void(int64_t, int64_t)> fn) {
  int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  double work = static_cast<double>(count) * itemCost;
  int64_t parts = std::min<int64_t>({cores, count, static_cast<int64_t>(work / kWorthAThread)});
  std::vector<std::thread> threads;
  std::exception_ptr problem; // Out of memory, in practice: the caller's to handle.
  std::mutex mutex;
  auto guarded = [&](int64_t begin, int64_t end) {
    try {
      fn(begin, end);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      problem = std::current_exception();
    }
  };
  int64_t begin = 0;
  for (int64_t part = 1; part < parts; ++part) {
    int64_t end = count / parts * part;
    // A system out of threads is no reason to fail: this thread does the rest.
    try {
      threads.emplace_back([&guarded, begin, end] { guarded(begin, end); });
    } catch (const std::system_error &) {
      break;
    }
    begin = end;
  }
  guarded(begin, count);
  for (std::thread &thread : threads) {
    thread.join();
  }
  if (problem) {
    std::rethrow_exception(problem);
  }
}

} // namespace convoy::reference
