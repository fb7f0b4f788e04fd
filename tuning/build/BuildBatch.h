// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds several candidates in parallel, in forked processes: the linker is not thread-safe,
// and a crash or hang of the compiler must not end the tuner. The caller must have no other
// threads while this function forks.

#pragma once

#include "tuning/build/BuildCandidate.h"

namespace convoy::tuning {

struct BuildRequest {
  Task task;
  Configuration configuration;
};

/// The result for one candidate of a batch.
struct BuildResult {
  /// Empty if the candidate was built, else the class of the problem: "task", "configuration",
  /// "compiler", "crash" or "time-out". `message` describes it.
  std::string problem;
  std::string message;
  /// The library, its interface, and the build times.
  BuiltCandidate candidate;

  bool isBuilt() const { return problem.empty(); }
};

struct BatchOptions {
  BuildOptions build;
  int processes = 2;
  /// The time limit for one candidate.
  double timeoutSeconds = 20;
};

/// Builds all candidates and returns the results in the order of the requests. The name of a
/// library is `prefix` plus the index of its request. The caller removes the libraries.
std::vector<BuildResult> buildBatch(llvm::ArrayRef<BuildRequest> requests,
                                    const BatchOptions &options, llvm::StringRef prefix);

} // namespace convoy::tuning
