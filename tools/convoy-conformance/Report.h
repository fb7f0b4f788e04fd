// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run says: every test not passed with its reason, then the counts.

#pragma once

#include "RunTest.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::conformance {

/// Why a test that does not pass is not counted as failed; null when it is.
const char *skipReason(const TestCase &test, const Outcome &outcome,
                       const driver::ResolvedTarget &target);

struct Counts {
  size_t passed = 0, failed = 0, skipped = 0, bound = 0;
};

Counts count(llvm::ArrayRef<TestCase> tests, llvm::ArrayRef<Outcome> outcomes,
             const driver::ResolvedTarget &target);

/// The list of tests not passed, counts per group and reason, and the last line
/// "N passed, N failed, N skipped".
void printReport(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
                 llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target);

/// The same for programs.
void writeJson(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
               llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target);

} // namespace convoy::conformance
