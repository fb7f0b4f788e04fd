// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The probe stores a number and the time stamp counter in a buffer of the calling thread, which is
// allocated before. The library calls the probe before and after each kernel and each wait. Samples
// of the library with probes and of the library without probes alternate, and the last inference
// of each sample is a candidate for the trace:
//
//   rest, traced traced ... traced(kept), rest, plain plain ... plain, rest, traced ...

#include "Trace.h"
#include "Machine.h"
#include "Sampling.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace convoy::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxThreads = 1024;
// A sample takes at least this time, so that waking threads does not dominate it.
constexpr double kSampleMs = 2;
// Longer inferences run once per sample, without an inference before that fills the caches.
constexpr double kLongRunMs = 100;
// Slow models get fewer samples.
constexpr double kMaxMs = 20000;
constexpr size_t kLeastCandidates = 5;
// Shares of a kernel vary between inferences, so an inference may have more events than the
// inferences before. One that has more than the buffer holds is not kept.
constexpr size_t kSpareMarks = 4096;
constexpr int64_t kNone = INT64_MIN;

/// Reads the clock of the CPU, which is cheaper than clock_gettime.
uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<uint64_t>(Clock::now().time_since_epoch().count());
#endif
}

struct Mark {
  int64_t id;
  uint64_t ticks;
};

/// The marks of one thread.
struct Track {
  std::vector<Mark> marks;
  Mark *next = nullptr, *end = nullptr;
  size_t lost = 0;      // marks that the buffer did not hold
  int64_t open = kNone; // the kernel or wait that has begun
  int thread = 0;       // the system's number

  void allocate(size_t count) {
    marks.assign(count, Mark{}); // writes the pages
    reset();
  }
  void reset() {
    next = marks.data();
    end = next + marks.size();
    lost = 0;
  }
  void add(int64_t id, uint64_t now) {
    if (next != end) {
      *next++ = {id, now};
    } else {
      ++lost;
    }
  }
};

struct Recorder {
  std::array<Track, kMaxThreads> tracks;
  std::atomic<int> count{0};
};

// The probe is a C function without a context argument.
Recorder &recorder() {
  static Recorder instance;
  return instance;
}

thread_local Track *mine = nullptr;

/// Gives the calling thread a track.
Track *attach() {
  int number = recorder().count.fetch_add(1);
  if (number >= kMaxThreads) {
    fail("more than " + std::to_string(kMaxThreads) + " threads ran kernels");
  }
  mine = &recorder().tracks[number];
  mine->thread = gettid();
  return mine;
}

/// Lets each kernel run once.
int32_t probe(int64_t id) {
  uint64_t now = ticks();
  Track *track = __builtin_expect(mine != nullptr, 1) ? mine : attach();
  bool hasRun = track->open == id;
  track->open = hasRun ? kNone : id;
  track->add(id, now);
  return hasRun ? 0 : 1;
}

std::vector<Track *> attachedTracks() {
  std::vector<Track *> tracks;
  for (int i = 0; i < std::min<int>(recorder().count, kMaxThreads); ++i) {
    tracks.push_back(&recorder().tracks[i]);
  }
  // The caller is the first. The pool creates its workers in order, so the system's numbers order
  // them.
  std::sort(tracks.begin() + 1, tracks.end(),
            [](const Track *a, const Track *b) { return a->thread < b->thread; });
  return tracks;
}

/// A recorded inference.
struct RecordedRun {
  uint64_t begin = 0, end = 0;
  std::vector<std::vector<Mark>> marks; // by thread
};

/// The time per tick, from the ticks and the nanoseconds that have passed since its creation.
class TickRate {
public:
  double nsPerTick() const {
    auto ns = std::chrono::duration<double, std::nano>(Clock::now() - startTime).count();
    return ns / static_cast<double>(ticks() - startTicks);
  }

private:
  Clock::time_point startTime = Clock::now();
  uint64_t startTicks = ticks();
};

class Tracer {
public:
  explicit Tracer(const Spec &spec) : spec(spec) {}

  Trace run() {
    pinToCores(spec.threads);
    attach(); // the calling thread is the first
    traced = openProbedModel(spec, probe);
    plain = spec.plain.library.empty() ? nullptr : openPlainModel(spec);
    shortestMs = warmUp(*traced);
    if (plain) {
      warmUp(*plain);
    }
    pinToCore(0);
    allocate();
    TickRate rate;
    int repeats = isLong() ? 1 : static_cast<int>(std::max(std::ceil(kSampleMs / shortestMs), 2.0));
    Trace trace;
    Stopwatch watch;
    for (int i = 0; i < spec.samples; ++i) {
      if (watch.ms() > kMaxMs && candidates.size() >= kLeastCandidates) {
        break;
      }
      trace.tracedMs.push_back(sampleTraced(repeats));
      if (plain) {
        trace.plainMs.push_back(samplePlain(repeats));
      }
    }
    fill(trace, rate.nsPerTick());
    return trace;
  }

private:
  /// Allocates the buffers by the marks of one inference.
  void allocate() {
    tracks = attachedTracks();
    for (Track *track : tracks) {
      track->reset();
    }
    traced->run();
    for (Track *track : tracks) {
      track->allocate(2 * track->lost + kSpareMarks);
    }
  }

  bool isLong() const { return shortestMs >= kLongRunMs; }

  /// Waits until the threads of the other library sleep, then fills the caches and wakes threads.
  void prepare(Program &program) const {
    if (spec.threads > 1) {
      awaitSleepingThreads();
    }
    if (!isLong()) {
      program.run();
    }
  }

  double sampleTraced(int repeats) {
    prepare(*traced);
    uint64_t begin = 0, end = 0;
    Stopwatch watch;
    for (int i = 0; i < repeats; ++i) {
      for (Track *track : tracks) {
        track->reset();
      }
      begin = ticks();
      traced->run();
      end = ticks();
    }
    double ms = watch.ms() / repeats;
    keep(begin, end);
    return ms;
  }

  double samplePlain(int repeats) {
    prepare(*plain);
    Stopwatch watch;
    for (int i = 0; i < repeats; ++i) {
      plain->run();
    }
    return watch.ms() / repeats;
  }

  /// Copies the marks of the last inference unless a buffer was too small.
  void keep(uint64_t begin, uint64_t end) {
    RecordedRun candidate{begin, end, {}};
    for (const Track *track : tracks) {
      if (track->lost > 0) {
        return;
      }
      candidate.marks.emplace_back(track->marks.data(), const_cast<const Mark *>(track->next));
    }
    candidates.push_back(std::move(candidate));
  }

  static TraceThread toThread(const std::vector<Mark> &marks, const RecordedRun &run,
                              double nsPerTick) {
    auto ns = [&](uint64_t tick) {
      return std::llround(static_cast<double>(static_cast<int64_t>(tick - run.begin)) * nsPerTick);
    };
    TraceThread thread;
    for (size_t i = 0; i + 1 < marks.size(); i += 2) {
      thread.events.push_back({marks[i].id, ns(marks[i].ticks), ns(marks[i + 1].ticks)});
    }
    return thread;
  }

  void fill(Trace &trace, double nsPerTick) {
    if (candidates.empty()) {
      fail("each inference had more events than the buffers of the trace hold; increase the number "
           "of samples");
    }
    auto lengthOf = [](const RecordedRun &run) { return run.end - run.begin; };
    for (const RecordedRun &run : candidates) {
      trace.runsNs.push_back(std::llround(static_cast<double>(lengthOf(run)) * nsPerTick));
    }
    auto median = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
    std::nth_element(
        candidates.begin(), median, candidates.end(),
        [&](const RecordedRun &a, const RecordedRun &b) { return lengthOf(a) < lengthOf(b); });
    trace.runNs = std::llround(static_cast<double>(lengthOf(*median)) * nsPerTick);
    for (size_t i = 0; i < tracks.size(); ++i) {
      trace.threads.push_back(toThread(median->marks[i], *median, nsPerTick));
      trace.threads.back().cpu = lastCpuOf(tracks[i]->thread);
    }
  }

  const Spec &spec;
  std::unique_ptr<Program> traced, plain;
  double shortestMs = 0;
  std::vector<Track *> tracks;
  std::vector<RecordedRun> candidates;
};

} // namespace

Trace measureTrace(const Spec &spec) { return Tracer(spec).run(); }

} // namespace convoy::measure
