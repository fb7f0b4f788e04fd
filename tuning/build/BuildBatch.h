// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds candidates in the processes of WorkerPool.h: requests and results as JSON, and a function
// that builds a list of candidates.

#pragma once

#include "tuning/build/BuildCandidate.h"
#include "tuning/build/WorkerPool.h"

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
  /// The SHA-256 of the library.
  std::string artifact;

  bool isBuilt() const { return problem.empty(); }
};

struct BatchOptions {
  BuildOptions build;
  int processes = 2;
  /// The limit for one candidate, as in WorkerPoolOptions.
  double timeoutSeconds = 20;
};

/// The request to a build process, which writes <name>.so.
llvm::json::Object toJson(const BuildRequest &request, llvm::StringRef name);
/// Builds a candidate in a build process.
llvm::json::Object answerBuild(const llvm::json::Object &request, const BuildOptions &options);
BuildResult toBuildResult(const WorkerAnswer &answer);

/// Builds all candidates and returns the results in the order of the requests. The name of a
/// library is `prefix` plus the index of its request. The caller removes the libraries.
std::vector<BuildResult> buildBatch(llvm::ArrayRef<BuildRequest> requests,
                                    const BatchOptions &options, llvm::StringRef prefix);

} // namespace convoy::tuning
