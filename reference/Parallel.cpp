// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs expensive evaluators on several cores.

#include "reference/Parallel.h"
#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace convoy::reference {

// Below this number of multiply-adds (one or two milliseconds), a thread costs
// more time than it saves.
constexpr double kWorthAThread = 2e6;

void parallelFor(int64_t count, double itemCost, llvm::function_ref<void(int64_t, int64_t)> fn) {
  int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  double work = static_cast<double>(count) * itemCost;
  int64_t parts = std::min<int64_t>({cores, count, static_cast<int64_t>(work / kWorthAThread)});
  std::vector<std::thread> threads;
  std::exception_ptr problem; // usually std::bad_alloc; rethrown to the caller
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
    // If the system cannot create a thread, the current thread does the
    // remaining work.
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
