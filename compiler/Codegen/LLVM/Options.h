// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the LLVM exit, filled once by the driver.

#pragma once

#include "Targets/Target.h"
#include "convoy/request.h"
#include <string>

namespace convoy::codegen {

struct CodegenOptions {
  /// Prefix of every symbol and stem of every file: a C identifier.
  std::string model = "model";
  targets::Target target;
  /// LLVM's 0 to 3.
  int optLevel = 2;
  WeightsPlace weights = WeightsPlace::Linked;
  /// Code that ThreadSanitizer follows, for a program that was built with it.
  bool sanitizeThreads = false;
  /// Keep <model>.o beside the library.
  bool keepObject = false;
  /// Let the program that loads the model time its marked kernels; see Probe.h.
  bool hasProbes = false;
};

} // namespace convoy::codegen
