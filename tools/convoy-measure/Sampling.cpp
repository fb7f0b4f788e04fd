// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine is slower in one minute than in the next, so two programs are
// measured in turn, and a sample of each is a few milliseconds at least:
//
//   rest, burst, A A A..., rest, burst, B B B..., rest, burst, A A A...
//
// Rest: with several threads each program's workers spin after a run, ONNX Runtime's
// for 40 ms; until they sleep they would take the other program's cores. Burst: the
// peak, which also brings the cores back to speed. A program first runs once
// unmeasured, unless that takes long: the other one has had the caches, and its own
// workers must wake up.

#include "Sampling.h"
#include "Machine.h"
#include <algorithm>
#include <cmath>
#include <fstream>

namespace convoy::measure {
namespace {

constexpr double kWarmUpMs = 300;
constexpr int kWarmUpRuns = 3;
// Models that run longer than this are warm enough after one run.
constexpr double kLongRunMs = 2000;

constexpr double kSampleMs = 10;
// Below this, what the other program left in the caches would show.
constexpr double kShortRunMs = 100;

double runOnce(Program &program) {
  Stopwatch watch;
  program.run();
  return watch.ms();
}

/// A program with what sampling needs to know.
struct Subject {
  std::unique_ptr<Program> program;
  double shortestMs = 0;
  int repeats = 1;

  void prepare() {
    shortestMs = warmUp(*program);
    repeats = static_cast<int>(std::clamp(std::ceil(kSampleMs / shortestMs), 1.0, 1000.0));
  }

  double sample() {
    if (shortestMs < kShortRunMs) {
      program->run();
    }
    Stopwatch watch;
    for (int i = 0; i < repeats; ++i) {
      program->run();
    }
    return watch.ms() / repeats;
  }
};

void writeOutputs(const Spec &spec, const Program &program, const std::string &name) {
  for (size_t i = 0; i < spec.outputs.size(); ++i) {
    std::string path = spec.outputFolder + "/" + name + "_" + std::to_string(i) + ".raw";
    std::ofstream file(path, std::ios::binary);
    file.write(program.outputs()[i].get(), static_cast<std::streamsize>(spec.outputs[i].bytes));
    if (!file.flush()) {
      fail("cannot write '" + path + "'");
    }
  }
}

void takeSample(const Spec &spec, Peak &peak, Subject &subject, Timing &timing,
                std::vector<double> &peakGflops) {
  if (spec.threads > 1) {
    awaitSleepingThreads();
  }
  peakGflops.push_back(peak.burst());
  timing.ms.push_back(subject.sample());
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
  return cold;
}

Comparison compare(const Spec &spec) {
  pinToCores(spec.threads);
  Peak peak(spec); // before the caller is pinned: its threads inherit the cores
  Subject ours{openCompiledModel(spec)};
  Subject theirs{spec.peer.library.empty() ? nullptr : openOnnxRuntime(spec)};
  ours.prepare();
  if (theirs.program) {
    theirs.prepare();
  }
  // Workers exist by now; from here on the caller keeps to one core as they do.
  pinToCore(0);
  Comparison result;
  for (int i = 0; i < spec.samples; ++i) {
    takeSample(spec, peak, ours, result.compiled, result.peakGflops);
    if (theirs.program) {
      takeSample(spec, peak, theirs, result.peer, result.peakGflops);
    }
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
