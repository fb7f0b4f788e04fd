// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do nothing but what a target does fastest, to measure what is
// possible. Written by our own code generator, so they use the vectors that kernels
// may use.

#pragma once

#include "Targets/Target.h"

namespace convoy::timing {

struct PeakLibrary {
  std::string path;
  double flopsPerIteration = 0;
};

/// The IR of the library's two functions:
///   void convoy_peak_multiply_add(int64_t iterations, float *data);
///   void convoy_peak_read(const char *data, int64_t bytes, float *sink);
/// `data` of the first holds 64 floats to multiply by, 64 to add, and room for 64.
/// `bytes` is a multiple of 4096.
std::string peakLibraryText(const targets::Target &target);

/// Writes the library to a folder.
llvm::Expected<PeakLibrary> writePeakLibrary(const targets::Target &target, llvm::StringRef folder);

} // namespace convoy::timing
