// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a CPU is busy, tries the other CPUs, then waits with increasing pauses.

#include "CoreWatch.h"
#include "tuning/measure/Measurer.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

namespace convoy::tuning {
namespace {

constexpr double kFirstWaitSeconds = 0.25, kLongestWaitSeconds = 4;

} // namespace

std::vector<int> CoreWatch::cpus() const {
  std::vector<int> result;
  for (int i = 0; i < options.threads; ++i) {
    result.push_back(options.cpus[(current + i) % options.cpus.size()]);
  }
  return result;
}

llvm::Expected<bool> CoreWatch::isGood(int cpu) {
  llvm::Expected<Sample> sample = sentinel(cpu);
  if (!sample) {
    return sample.takeError();
  }
  lastNs = sample->wallNs;
  lastCpu = cpu;
  isLastClean = sample->isClean;
  auto [best, isFirst] = bestNs.try_emplace(cpu, sample->wallNs);
  if (sample->isClean) {
    best->second = std::min(best->second, sample->wallNs);
  }
  return sample->isClean && static_cast<double>(sample->wallNs) <=
                                static_cast<double>(best->second) * (1 + options.maxDrift);
}

/// Returns whether all CPUs of a place are free. One busy CPU delays the candidate's threads
/// on the other CPUs.
llvm::Expected<bool> CoreWatch::areGood(size_t place) {
  for (int i = 0; i < std::max(options.threads, 1); ++i) {
    llvm::Expected<bool> good = isGood(options.cpus[(place + i) % options.cpus.size()]);
    if (!good || !*good) {
      return good;
    }
  }
  return true;
}

/// Checks the current place first, then the other places.
llvm::Expected<bool> CoreWatch::findGood() {
  size_t count = options.cpus.size();
  // If the candidate uses all CPUs, there is only one place.
  size_t places = static_cast<size_t>(options.threads) < count ? count : 1;
  for (size_t i = 0; i < places; ++i) {
    size_t place = (current + i) % count;
    llvm::Expected<bool> good = areGood(place);
    if (!good) {
      return good.takeError();
    }
    if (*good) {
      if (place != current) {
        say(llvm::formatv("CPU {0} is busy or slower than before; measuring on CPU {1}",
                          options.cpus[current], options.cpus[place]));
      }
      current = place;
      return true;
    }
  }
  return false;
}

llvm::Expected<bool> CoreWatch::afterDisturbance() {
  double pause = kFirstWaitSeconds, begin = waited;
  while (true) {
    llvm::Expected<bool> good = findGood();
    if (!good || *good) {
      if (good && waited > begin) {
        say(llvm::formatv("the machine is idle after a wait of {0:f1} s", waited - begin));
      }
      trialsLeft = options.everyTrials;
      return good;
    }
    if (hasGivenUp || waited + pause > options.maxWaitSeconds) {
      break;
    }
    if (waited == begin) {
      say(llvm::formatv("CPU {0} is busy or slower than before: waiting for an idle machine, at "
                        "most {1:f0} s (not counted as search time)",
                        options.cpus[current], options.maxWaitSeconds - waited));
    }
    if (!sleep(pause)) {
      trialsLeft = 0; // the next trial runs the sentinel again
      return llvm::make_error<WaitCanceled>();
    }
    waited += pause;
    pause = std::min(2 * pause, kLongestWaitSeconds);
  }
  // A CPU that is slower but free is suitable for comparing candidates.
  if (isLastClean) {
    bestNs[lastCpu] = lastNs;
  }
  if (!hasGivenUp) {
    hasGivenUp = true;
    say(llvm::formatv(
        "the machine was busy for {0:f0} s, the limit of --wait: measuring continues and is less "
        "precise; stop other programs or raise --wait",
        waited));
  }
  trialsLeft = options.everyTrials;
  return false;
}

llvm::Error CoreWatch::beforeTrials(int trials) {
  trialsLeft -= trials;
  if (trialsLeft >= 0) {
    return llvm::Error::success();
  }
  return afterDisturbance().takeError();
}

} // namespace convoy::tuning
