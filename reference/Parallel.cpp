// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads the few expensive evaluators over the machine's cores.

#include "reference/Parallel.h"
#include <algorithm>
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
  int64_t begin = 0;
  for (int64_t part = 1; part < parts; ++part) {
    int64_t end = count / parts * part;
    // A system out of threads is no reason to fail: this thread does the rest.
    try {
      threads.emplace_back([fn, begin, end] { fn(begin, end); });
    } catch (const std::system_error &) {
      break;
    }
    begin = end;
  }
  fn(begin, count);
  for (std::thread &thread : threads) {
    thread.join();
  }
}

} // namespace convoy::reference
