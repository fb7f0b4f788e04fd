// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one test in this process.

#pragma once

#include "Driver/ResolveTarget.h"
#include "Suite.h"

namespace convoy::conformance {

struct Outcome {
  bool isPassed = false;
  /// Inputs that were made constants because their value fixes a shape.
  std::vector<std::string> bound;
  /// Why it did not pass: the first problem.
  std::string problem;
  /// Whether the model ran and gave a wrong result; no reason excuses that but
  /// one that names the test.
  bool isWrongResult = false;
  bool isCrash = false;
  double seconds = 0;
};

Outcome runTest(const TestCase &test, const driver::ResolvedTarget &target);

} // namespace convoy::conformance
