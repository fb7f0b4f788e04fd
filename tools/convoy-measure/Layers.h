// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the kernels inside a model.

#pragma once

#include "Sampling.h"

namespace convoy::measure {

struct Bandwidth {
  size_t bytes = 0; // of what is read again and again
  double gbs = 0;
};

struct LayerTimes {
  std::vector<std::vector<double>> ms; // by layer, then by sample
  std::vector<double> totalMs;         // of each sample, all kernels and what is between them
  std::vector<double> peakGflops;
  std::vector<Bandwidth> bandwidths; // in ascending size
};

/// Measures a library that was built with probes.
LayerTimes measureLayers(const Spec &spec);

} // namespace convoy::measure
