// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates loops that reach the peak arithmetic rate and the peak read bandwidth of a target.
// Convoy's own code generator compiles them, so they use the same vector instructions as kernels.

#pragma once

#include "Targets/Target.h"

namespace convoy::timing {

struct PeakLibrary {
  std::string path;
  double flopsPerIteration = 0;
};

/// Returns the IR of the library's two functions:
///   void convoy_peak_multiply_add(int64_t iterations, float *data);
///   void convoy_peak_read(const char *data, int64_t bytes, float *sink);
/// `data` of the first function holds 64 factors, 64 summands and space for 64 results.
/// `bytes` is a multiple of 4096.
std::string peakLibraryText(const targets::Target &target);

/// Compiles the library into a folder.
llvm::Expected<PeakLibrary> writePeakLibrary(const targets::Target &target, llvm::StringRef folder);

} // namespace convoy::timing
