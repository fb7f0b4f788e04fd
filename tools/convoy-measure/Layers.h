// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the times of the kernels inside a model, for `convoy bench --layers`.

#pragma once

#include "Sampling.h"

namespace convoy::measure {

struct Bandwidth {
  size_t bytes = 0; // size of the data that is read repeatedly
  double gbs = 0;
};

struct LayerTimes {
  std::vector<std::vector<double>> ms; // by layer, then by sample
  std::vector<double> totalMs;         // of each sample: all kernels and the code between them
  std::vector<double> peakGflops;
  std::vector<Bandwidth> bandwidths; // in ascending size
};

/// Measures a library that was built with probes.
LayerTimes measureLayers(const Spec &spec);

} // namespace convoy::measure
