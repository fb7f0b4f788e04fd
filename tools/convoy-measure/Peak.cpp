// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures peak performance in short bursts on a team of threads.

#include "Peak.h"
#include "Machine.h"
#include "Program.h"
#include <algorithm>
#include <dlfcn.h>

namespace convoy::measure {
namespace {

// Long compared with waking the threads, short compared with the measurements in between.
constexpr double kBurstMs = 3;

// Memory for the vectors of one thread: factors, summands and results of at most 64 floats
// each.
constexpr size_t kVectorFloats = 64;
constexpr size_t kScratchFloats = 3 * kVectorFloats;

void *find(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address) {
    fail(std::string("the library of peak loops has no function '") + name + "'");
  }
  return address;
}

} // namespace

Team::Team(int threads) {
  for (int thread = 1; thread < threads; ++thread) {
    workers.emplace_back([this, thread] { serve(thread); });
  }
}

Team::~Team() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  for (std::thread &worker : workers) {
    worker.join();
  }
}

void Team::serve(int thread) {
  pinToCore(thread);
  std::unique_lock<std::mutex> lock(mutex);
  for (int64_t seen = 0;; seen = round) {
    changed.wait(lock, [&] { return isOver || round != seen; });
    if (isOver) {
      return;
    }
    const std::function<void(int)> &mine = *work;
    lock.unlock();
    mine(thread);
    lock.lock();
    --busy;
    changed.notify_all();
  }
}

void Team::run(const std::function<void(int)> &job) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    work = &job;
    busy = static_cast<int>(workers.size());
    ++round;
  }
  changed.notify_all();
  job(0);
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return busy == 0; });
}

Peak::Peak(const Spec &spec)
    : team(spec.threads), flopsPerIteration(spec.peak.flopsPerIteration),
      scratch(allocate(spec.threads * kScratchFloats * sizeof(float))) {
  void *library = dlopen(spec.peak.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(std::string("cannot load the library of peak loops: ") + dlerror());
  }
  multiplyAdd = reinterpret_cast<MultiplyAdd>(find(library, "convoy_peak_multiply_add"));
  read = reinterpret_cast<Read>(find(library, "convoy_peak_read"));
  auto *numbers = reinterpret_cast<float *>(scratch.get());
  for (size_t i = 0; i < spec.threads * kScratchFloats; ++i) {
    // x * 0.75 + 0.25 remains a normal number after any number of iterations.
    numbers[i] = i % kScratchFloats < kVectorFloats ? 0.75F : 0.25F;
  }
  // Increases the number of iterations until they fill a burst.
  for (double ms = 0; ms < kBurstMs / 4; iterations *= 2) {
    Stopwatch watch;
    multiplyAdd(iterations, numbers);
    ms = watch.ms();
    if (ms >= kBurstMs / 4) {
      iterations = static_cast<int64_t>(static_cast<double>(iterations) * kBurstMs / (2 * ms));
    }
  }
}

double Peak::burst() {
  std::vector<double> rates(team.size());
  team.run([&](int thread) {
    auto *numbers = reinterpret_cast<float *>(scratch.get()) + thread * kScratchFloats;
    Stopwatch watch;
    multiplyAdd(iterations, numbers);
    rates[thread] = static_cast<double>(iterations) * flopsPerIteration / (watch.ms() * 1e6);
  });
  double sum = 0;
  for (double rate : rates) {
    sum += rate;
  }
  return sum;
}

double Peak::readGbs(size_t bytes) {
  size_t share = std::max<size_t>(bytes / team.size() / 4096, 1) * 4096;
  std::vector<double> rates(team.size());
  team.run([&](int thread) {
    Buffer buffer = allocate(share);
    std::fill_n(buffer.get(), share, 1);
    auto *sink = reinterpret_cast<float *>(scratch.get()) + thread * kScratchFloats;
    sink += 2 * kVectorFloats;
    double best = 0;
    // Takes the fastest of several passes, because noise can only slow down a pass.
    for (double spent = 0; spent < 20 * kBurstMs;) {
      int passes = static_cast<int>(std::max<size_t>((size_t(4) << 20) / share, 1));
      Stopwatch watch;
      for (int pass = 0; pass < passes; ++pass) {
        read(buffer.get(), static_cast<int64_t>(share), sink);
      }
      double ms = watch.ms();
      best = std::max(best, static_cast<double>(share) * passes / (ms * 1e6));
      spent += ms;
    }
    rates[thread] = best;
  });
  double sum = 0;
  for (double rate : rates) {
    sum += rate;
  }
  return sum;
}

} // namespace convoy::measure
