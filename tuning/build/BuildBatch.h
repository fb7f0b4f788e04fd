// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several candidates at a time, in processes that are forked for the batch: the linker
// is not for threads, and what crashes or hangs the compiler must not end the tuner. The
// caller has no other threads while it forks.

#pragma once

#include "tuning/build/BuildCandidate.h"

namespace convoy::tuning {

struct BuildRequest {
  Task task;
  Configuration configuration;
};

/// One of a batch.
struct BuildResult {
  /// Empty when it was built; else the class, "task", "configuration", "compiler",
  /// "crash" or "time-out", and what is known of it.
  std::string problem;
  std::string message;
  /// Its library, the name and workspace of its interface, and its times.
  BuiltCandidate candidate;

  bool isBuilt() const { return problem.empty(); }
};

struct BatchOptions {
  BuildOptions build;
  int processes = 2;
  /// Of one candidate.
  double timeoutSeconds = 20;
};

/// Builds all of them; results are in the order of requests. Libraries are named by
/// `prefix` and number, and stay until the caller removes them.
std::vector<BuildResult> buildBatch(llvm::ArrayRef<BuildRequest> requests,
                                    const BatchOptions &options, llvm::StringRef prefix);

} // namespace convoy::tuning
