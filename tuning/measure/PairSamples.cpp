// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/measure/PairSamples.h"

namespace convoy::tuning {

static int64_t wallNs(const Sample &sample) { return sample.wallNs / sample.runs; }
static int64_t cpuNs(const Sample &sample) { return sample.cpuNs / sample.runs; }

void addPairs(std::vector<PairedSample> &pairs, const Measurement &before, const Measurement &after,
              bool isSingle) {
  size_t count = std::min(before.samples.size(), after.samples.size());
  size_t first = pairs.size();
  for (size_t i = 0; i < count; ++i) {
    const Sample &a = before.samples[i], &b = after.samples[i];
    if (a.isClean && b.isClean) {
      pairs.push_back({wallNs(a), wallNs(b)});
    }
  }
  // If no pair is undisturbed, use the CPU time of a single-threaded model.
  bool isNoisy = pairs.size() == first;
  for (size_t i = 0; isNoisy && i < count; ++i) {
    const Sample &a = before.samples[i], &b = after.samples[i];
    pairs.push_back(isSingle ? PairedSample{cpuNs(a), cpuNs(b)}
                             : PairedSample{wallNs(a), wallNs(b)});
  }
}

timing::Estimate ratioOf(llvm::ArrayRef<PairedSample> pairs) {
  std::vector<double> before, after;
  for (const PairedSample &pair : pairs) {
    before.push_back(static_cast<double>(pair.beforeNs));
    after.push_back(static_cast<double>(pair.afterNs));
  }
  return timing::ratioOfMedians(after, before);
}

double medianNs(llvm::ArrayRef<PairedSample> pairs, int64_t PairedSample::*member) {
  std::vector<double> times;
  for (const PairedSample &pair : pairs) {
    times.push_back(static_cast<double>(pair.*member));
  }
  return timing::median(std::move(times));
}

std::vector<double> timesOf(const Measurement &measurement) {
  std::vector<double> clean, all;
  for (const Sample &sample : measurement.samples) {
    all.push_back(sample.nsPerRun());
    if (sample.isClean) {
      clean.push_back(sample.nsPerRun());
    }
  }
  return clean.empty() ? all : clean;
}

} // namespace convoy::tuning
