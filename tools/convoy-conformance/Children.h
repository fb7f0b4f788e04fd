// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tests in child processes with a time and a memory limit. A crash or a hang of one test
// is then a result and does not end the run.

#pragma once

#include "RunTest.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::conformance {

struct ChildLimits {
  int processes = 2;
  double seconds = 60;
  int64_t memoryBytes = int64_t(8) << 30;
};

/// Runs every test and returns the outcomes in the order of the tests. Calls `done` when a
/// test ends.
std::vector<Outcome> runInChildren(llvm::ArrayRef<TestCase> tests,
                                   const driver::ResolvedTarget &target, const ChildLimits &limits,
                                   llvm::function_ref<void(size_t, const Outcome &)> done);

} // namespace convoy::conformance
