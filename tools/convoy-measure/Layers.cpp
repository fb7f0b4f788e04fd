// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model calls a probe before each run of a kernel, and the probe decides whether the
// kernel runs (again). The probe records the time: the first call starts a kernel, the last
// call ends it. With several threads, the time of a layer is the longest time that one thread
// spends on it.

#include "Layers.h"
#include "Machine.h"
#include <algorithm>
#include <atomic>
#include <cmath>

namespace convoy::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxThreads = 1024;
// A hot kernel runs for this time, but at least three times.
constexpr double kHotMs = 2;
constexpr double kMaxHotRuns = 1000;

/// The state of one thread.
struct ThreadState {
  std::vector<double> ms; // by layer
  int runs = 0;           // started runs of the current kernel
  int wantedRuns = 1;
  Clock::time_point begin;
};

struct Recorder {
  bool isHot = false;
  std::vector<ThreadState> threads{kMaxThreads};
  std::atomic<int> threadCount{0};
};

// The probe is a C function without a context argument.
Recorder &recorder() {
  static Recorder instance;
  return instance;
}

ThreadState &thisThread() {
  thread_local int number = recorder().threadCount.fetch_add(1);
  if (number >= kMaxThreads) {
    fail("more than " + std::to_string(kMaxThreads) + " threads ran kernels");
  }
  return recorder().threads[number];
}

/// Runs each kernel once and measures its time.
int32_t probeOnce(int64_t id) {
  Clock::time_point now = Clock::now();
  ThreadState &state = thisThread();
  if (state.runs == 1) {
    state.ms[id] += std::chrono::duration<double, std::milli>(now - state.begin).count();
    state.runs = 0;
    return 0;
  }
  state.runs = 1;
  state.begin = Clock::now();
  return 1;
}

/// Runs each kernel once without measuring, which fills the caches, then several times.
int32_t probeHot(int64_t id) {
  Clock::time_point now = Clock::now();
  ThreadState &state = thisThread();
  double ms = std::chrono::duration<double, std::milli>(now - state.begin).count();
  if (state.runs == 0) {
    state.wantedRuns = 1;
  } else if (state.runs == 1) {
    double runs = std::clamp(kHotMs / std::max(ms, 1e-6), 3.0, kMaxHotRuns);
    state.wantedRuns = 1 + static_cast<int>(runs);
  } else if (state.runs == state.wantedRuns) {
    state.ms[id] += ms / (state.runs - 1);
    state.runs = 0;
    return 0;
  }
  if (state.runs++ <= 1) {
    state.begin = Clock::now();
  }
  return 1;
}

/// Returns the times of the layers since the last call.
std::vector<double> takeTimes(int layers) {
  std::vector<double> ms(layers);
  for (ThreadState &state : recorder().threads) {
    for (int layer = 0; layer < layers; ++layer) {
      ms[layer] = std::max(ms[layer], state.ms[layer]);
      state.ms[layer] = 0;
    }
  }
  return ms;
}

} // namespace

LayerTimes measureLayers(const Spec &spec) {
  pinToCores(spec.threads);
  Peak peak(spec);
  LayerTimes result;
  for (size_t bytes = size_t(256) << 10; bytes <= size_t(256) << 20; bytes *= 4) {
    result.bandwidths.push_back({bytes, peak.readGbs(bytes)});
  }
  for (ThreadState &state : recorder().threads) {
    state.ms.resize(spec.layers);
  }
  std::unique_ptr<Program> program = openProbedModel(spec, spec.isHot ? probeHot : probeOnce);
  warmUp(*program);
  takeTimes(spec.layers);
  pinToCore(0);
  result.ms.resize(spec.layers);
  for (int i = 0; i < spec.samples; ++i) {
    result.peakGflops.push_back(peak.burst());
    Stopwatch watch;
    program->run();
    result.totalMs.push_back(watch.ms());
    std::vector<double> times = takeTimes(spec.layers);
    for (int layer = 0; layer < spec.layers; ++layer) {
      result.ms[layer].push_back(times[layer]);
    }
  }
  return result;
}

} // namespace convoy::measure
