// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one test in this process.

#pragma once

#include "Driver/ResolveTarget.h"
#include "Suite.h"

namespace convoy::conformance {

struct Outcome {
  bool isPassed = false;
  /// Inputs that were made constants because a shape depends on their value.
  std::vector<std::string> bound;
  /// The first problem, if the test did not pass.
  std::string problem;
  /// Whether the model ran and gave a wrong result. Only a reason that names the test excuses
  /// a wrong result.
  bool isWrongResult = false;
  bool isCrash = false;
  /// Whether the test draws numbers, which were compared by type, shape and range only.
  bool isDrawn = false;
  double seconds = 0;
};

Outcome runTest(const TestCase &test, const driver::ResolvedTarget &target);

} // namespace convoy::conformance
