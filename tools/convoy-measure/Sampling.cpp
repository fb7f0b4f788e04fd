// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The speed of a machine varies over minutes, so two programs are measured alternately. Each
// sample takes at least a few milliseconds:
//
//   rest, burst, A A A..., rest, burst, B B B..., rest, burst, A A A...
//
// Rest: after an inference on several threads, the workers of a program spin, in ONNX Runtime
// for 40 ms. Until they sleep, they use CPUs of the other program. Burst: the peak
// measurement, which also raises the CPU frequency. Each program first runs once without
// measuring, unless that takes long, because the other program has replaced the contents of
// the caches and the workers must wake up.

#include "Sampling.h"
#include "Machine.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace convoy::measure {
namespace {

constexpr double kWarmUpMs = 300;
constexpr int kWarmUpRuns = 3;
// Models that run longer than this reach a steady state after one run.
constexpr double kLongRunMs = 2000;

constexpr double kSampleMs = 10;
// For shorter runs, the cache contents of the other program would affect the time.
constexpr double kShortRunMs = 100;

double runOnce(Program &program) {
  Stopwatch watch;
  program.run();
  return watch.ms();
}

// A 99th percentile needs 100 runs. Slow models get as many as fit into the time, which is at
// most a quarter of the time of the samples, so that few samples make a short measurement.
constexpr size_t kLatencyRuns = 100, kMaxLatencyRuns = 10000;
constexpr double kLatencyMs = 200, kMaxLatencyMs = 3000, kLatencyShare = 0.25;

/// CPU time of this thread in milliseconds.
double threadCpuMs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// A program and the state of its sampling.
struct Subject {
  std::unique_ptr<Program> program;
  double shortestMs = 0;
  int repeats = 1;

  void prepare() {
    shortestMs = warmUp(*program);
    repeats = static_cast<int>(std::clamp(std::ceil(kSampleMs / shortestMs), 1.0, 1000.0));
  }

  void sample(Timing &timing) {
    if (shortestMs < kShortRunMs) {
      program->run();
    }
    Stopwatch watch;
    double cpuMs = threadCpuMs();
    for (int i = 0; i < repeats; ++i) {
      program->run();
    }
    timing.cpuMs.push_back((threadCpuMs() - cpuMs) / repeats);
    timing.ms.push_back(watch.ms() / repeats);
  }
};

/// Runs one inference after another for about `mostMs` and times each one.
std::vector<double> measureLatencies(Program &program, double mostMs) {
  std::vector<double> ms;
  ms.reserve(kMaxLatencyRuns);
  runOnce(program);
  Stopwatch watch;
  for (double spent = 0; ms.size() < kMaxLatencyRuns && spent < mostMs &&
                         (spent < kLatencyMs || ms.size() < kLatencyRuns);
       spent = watch.ms()) {
    ms.push_back(runOnce(program));
  }
  return ms;
}

void writeFile(const std::string &path, const char *data, size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(data, static_cast<std::streamsize>(bytes));
  if (!file.flush()) {
    fail("cannot write '" + path + "'");
  }
}

/// Writes the elements of each output to a file and its shape to another file.
void writeOutputs(const Spec &spec, const Program &program, const std::string &name) {
  int index = 0;
  for (const OutputView &output : program.outputs()) {
    std::string path = spec.outputFolder + "/" + name + "_" + std::to_string(index++);
    std::string shape = nlohmann::json(output.shape).dump();
    writeFile(path + ".raw", output.data, output.bytes);
    writeFile(path + ".shape", shape.data(), shape.size());
  }
}

void takeSample(const Spec &spec, Peak &peak, Subject &subject, Timing &timing,
                std::vector<double> &peakGflops) {
  if (spec.threads > 1) {
    awaitSleepingThreads();
  }
  peakGflops.push_back(peak.burst());
  subject.sample(timing);
}

} // namespace

double warmUp(Program &program) {
  double shortest = runOnce(program);
  double spent = shortest;
  for (int runs = 1; spent < kWarmUpMs || (runs < kWarmUpRuns && shortest < kLongRunMs); ++runs) {
    double ms = runOnce(program);
    spent += ms;
    shortest = std::min(shortest, ms);
  }
  return shortest;
}

Cold measureCold(const Spec &spec) {
  pinToCores(spec.threads);
  std::unique_ptr<Program> program =
      spec.peer.library.empty() ? openCompiledModel(spec) : openOnnxRuntime(spec);
  Cold cold;
  cold.timing.loadMs = program->loadMs;
  cold.timing.firstMs = runOnce(*program);
  program->run();
  cold.residentMb = peakResidentMb();
  cold.openOutputs = program->openOutputs();
  return cold;
}

Comparison compare(const Spec &spec) {
  pinToCores(spec.threads);
  Peak peak(
      spec); // created before pinning the calling thread, because its threads inherit the affinity
  Subject ours{openCompiledModel(spec)};
  Subject theirs{spec.peer.library.empty() ? nullptr : openOnnxRuntime(spec)};
  ours.prepare();
  if (theirs.program) {
    theirs.prepare();
  }
  // The workers exist now. From here on, the calling thread runs on one CPU, like each worker.
  pinToCore(0);
  Comparison result;
  Stopwatch sampling;
  for (int i = 0; i < spec.samples; ++i) {
    takeSample(spec, peak, ours, result.compiled, result.peakGflops);
    if (theirs.program) {
      takeSample(spec, peak, theirs, result.peer, result.peakGflops);
    }
  }
  double latencyMs = std::clamp(sampling.ms() * kLatencyShare, kLatencyMs, kMaxLatencyMs);
  result.compiled.latencyMs = measureLatencies(*ours.program, latencyMs);
  if (theirs.program) {
    if (spec.threads > 1) {
      awaitSleepingThreads();
    }
    result.peer.latencyMs = measureLatencies(*theirs.program, latencyMs);
  }
  if (spec.readBytes > 0) {
    result.readGbs = peak.readGbs(spec.readBytes);
  }
  writeOutputs(spec, *ours.program, "compiled");
  if (theirs.program) {
    writeOutputs(spec, *theirs.program, "peer");
  }
  return result;
}

void writePeerOutputs(const Spec &spec) {
  pinToCores(spec.threads);
  std::unique_ptr<Program> program = openOnnxRuntime(spec);
  program->run();
  writeOutputs(spec, *program, "peer");
}

} // namespace convoy::measure
