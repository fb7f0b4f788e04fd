// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the LLVM backend. The driver sets them.

#pragma once

#include "Targets/Target.h"
#include "convoy/request.h"
#include <string>
#include <vector>

namespace convoy::codegen {

struct CodegenOptions {
  /// The prefix of every symbol and the stem of every file: a C identifier.
  std::string model = "model";
  targets::Target target;
  /// LLVM's optimization level, 0 to 3.
  int optLevel = 2;
  WeightsPlace weights = WeightsPlace::Linked;
  /// Instruments the code with ThreadSanitizer, for a program that was built with it.
  bool sanitizeThreads = false;
  /// Keeps <model>.o beside the library.
  bool keepObject = false;
  /// Lets the program that loads the model time calls with `task.probe`; see Task/Probe.h.
  bool hasProbes = false;
  /// Also times the waits of threads for each other.
  bool hasWaitProbes = false;
  /// Verifies the IR after each pass of the stage and before LLVM's passes.
  bool verifyPasses = true;
  /// Adds line info, so that debuggers and profilers show the names of nodes. It changes no code.
  bool hasLineInfo = true;
  /// Omits everything but the code and its weights: the library has only <model>_run, and there
  /// is no header. The tuner loads such libraries.
  bool isBare = false;
  /// Object files and libraries with the functions of custom ops.
  std::vector<std::string> customObjects = {};
};

} // namespace convoy::codegen
