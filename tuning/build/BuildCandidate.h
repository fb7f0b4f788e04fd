// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build stage of the tuner: one task with one configuration becomes a shared
// library, through the stages that a model goes through. Not for two threads at once,
// as the linker is not: whoever wants more builds at a time takes processes.

#pragma once

#include "Codegen/LLVM/Library.h"
#include "tuning/build/ForceConfiguration.h"

namespace convoy::tuning {

/// Why there is no candidate.
enum class BuildProblem {
  Task,          ///< The task's text cannot be read.
  Configuration, ///< The configuration is no text, is stale or does not fit the task.
  Compiler,      ///< A stage, LLVM or the linker failed.
};

/// "task", "configuration", "compiler".
llvm::StringRef name(BuildProblem problem);

class BuildError : public llvm::ErrorInfo<BuildError> {
public:
  static char ID;

  BuildError(BuildProblem problem, std::string text) : problem(problem), text(std::move(text)) {}
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  BuildProblem problem;
  std::string text;
};

/// Where the time of a build goes.
struct BuildTimes {
  double readSeconds = 0;   // the task's text, weights, layouts
  double stagesSeconds = 0; // Convoy's own, to the LLVM dialect
  double emitSeconds = 0;   // LLVM's passes, packing of weights, linking
};

struct BuiltCandidate {
  codegen::LibraryFiles files;
  BuildTimes times;
};

struct BuildOptions {
  targets::Target target;
  /// Folder that libraries go to; made when missing.
  std::string directory;
};

/// A configured task in planned memory: all stages but code generation. Errors are
/// BuildErrors.
llvm::Error lowerCandidate(TaskModule &task, const Configuration &configuration,
                           const targets::Target &target);

/// Writes <name>.so: `<name>_run` runs the kernel once. Errors are BuildErrors.
llvm::Expected<BuiltCandidate> buildCandidate(const Task &task, const Configuration &configuration,
                                              const BuildOptions &options, llvm::StringRef name);

} // namespace convoy::tuning
