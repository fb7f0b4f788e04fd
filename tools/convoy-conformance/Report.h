// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the results of a run: each test that did not pass with its reason, then the counts.

#pragma once

#include "RunTest.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::conformance {

/// Returns the reason why a test that does not pass counts as skipped, or null if it counts as
/// failed.
const char *skipReason(const TestCase &test, const Outcome &outcome,
                       const driver::ResolvedTarget &target);

struct Counts {
  size_t passed = 0, failed = 0, skipped = 0, bound = 0, drawn = 0;
};

Counts count(llvm::ArrayRef<TestCase> tests, llvm::ArrayRef<Outcome> outcomes,
             const driver::ResolvedTarget &target);

/// Prints the tests that did not pass, the counts per group and reason, and the last line "N
/// passed, N failed, N skipped".
void printReport(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
                 llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target);

/// Writes the same results as JSON.
void writeJson(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
               llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target);

} // namespace convoy::conformance
