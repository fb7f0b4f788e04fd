// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stream is a thread with its own workspace, inputs and outputs, and with its own core if
// there are enough. Rounds of one stream and of all streams alternate, because the speed of a
// machine varies. In a round, each stream runs until the time is over and finishes its inference,
// so its rate is its number of inferences over its own time.

#include "Streams.h"
#include "Machine.h"
#include "Sampling.h"
#include <algorithm>
#include <atomic>
#include <thread>

namespace convoy::measure {
namespace {

constexpr double kRoundMs = 200;
// A round takes at least this number of inferences per stream.
constexpr double kLeastRuns = 4;
constexpr int kLeastRounds = 3, kMostRounds = 10;
// More latencies of one stream do not change the percentiles.
constexpr size_t kMaxLatencies = 20000;

struct alignas(64) Stream { // no two streams write to the same cache line
  std::unique_ptr<Program> program;
  std::vector<double> latencyMs; // allocated before the rounds
  double perSecond = 0;          // of the last round

  void run(double roundMs, bool hasLatencies) {
    Stopwatch round;
    double before = 0;
    int runs = 0;
    while (before < roundMs) {
      program->run();
      ++runs;
      double now = round.ms();
      if (hasLatencies && latencyMs.size() < kMaxLatencies) {
        latencyMs.push_back(now - before);
      }
      before = now;
    }
    perSecond = runs / before * 1e3;
  }
};

/// Runs the first `count` streams, each on a thread of its own, and returns their inferences per
/// second.
double runRound(std::vector<Stream> &streams, size_t count, double roundMs, bool arePinned) {
  std::atomic<size_t> ready{0};
  auto work = [&](Stream &stream) {
    if (arePinned) {
      pinToCore(static_cast<int>(&stream - streams.data()));
    }
    // One inference wakes the CPU and loads the caches. All streams then start together.
    stream.program->run();
    for (++ready; ready < count;) {
      std::this_thread::yield();
    }
    stream.run(roundMs, count == streams.size());
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back(work, std::ref(streams[i]));
  }
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    threads[i].join();
    sum += streams[i].perSecond;
  }
  return sum;
}

} // namespace

StreamTimes measureStreams(const Spec &spec) {
  pinToCores(std::min(spec.streams * spec.threads, usableCores()));
  std::vector<Stream> streams(static_cast<size_t>(spec.streams));
  for (Stream &stream : streams) {
    stream.program = openCompiledModel(spec);
    stream.latencyMs.reserve(kMaxLatencies);
  }
  double shortestMs = warmUp(*streams.front().program);
  double roundMs = std::max(kRoundMs, kLeastRuns * shortestMs * spec.streams);
  bool arePinned = spec.threads == 1 && spec.streams <= usableCores();
  StreamTimes times;
  for (int i = 0; i < std::clamp(spec.samples, kLeastRounds, kMostRounds); ++i) {
    times.onePerSecond.push_back(runRound(streams, 1, roundMs, arePinned));
    times.allPerSecond.push_back(runRound(streams, streams.size(), roundMs, arePinned));
  }
  for (const Stream &stream : streams) {
    times.latencyMs.insert(times.latencyMs.end(), stream.latencyMs.begin(), stream.latencyMs.end());
  }
  return times;
}

} // namespace convoy::measure
