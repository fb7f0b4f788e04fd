// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one task with one configuration by the same stages that compile a model: into a shared
// library, or into a program if the target has no libraries. The function is not thread-safe,
// because the linker is not. BuildBatch.h builds candidates in parallel processes.

#pragma once

#include "Codegen/LLVM/Library.h"
#include "tuning/build/ForceConfiguration.h"

namespace convoy::tuning {

/// The class of a build error.
enum class BuildProblem {
  Task,          ///< The task's text cannot be read.
  Configuration, ///< The configuration cannot be parsed, is outdated or does not fit the task.
  Compiler,      ///< A stage, LLVM or the linker failed.
};

/// Returns "task", "configuration" or "compiler".
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

/// The time of each step of a build.
struct BuildTimes {
  double readSeconds = 0;   // reading the task, filling the weights, setting the layouts
  double stagesSeconds = 0; // Convoy's stages, up to the LLVM dialect
  double emitSeconds = 0;   // LLVM's passes, packing the weights, linking
};

struct BuiltCandidate {
  codegen::LibraryFiles files;
  BuildTimes times;
};

struct BuildOptions {
  targets::Target target;
  /// The folder for the libraries. It is created if it does not exist.
  std::string directory;
  /// Build libraries that runtime/runner loads. Other libraries have only `<name>_run`.
  bool isLoadable = false;
};

/// Applies the configuration and runs all stages from Tasks on except code generation for a
/// library. All errors are BuildErrors.
llvm::Error lowerCandidate(TaskModule &task, const Configuration &configuration,
                           const targets::Target &target);

/// Writes <name>.so, whose function `<name>_run` runs the kernel once, or the program <name>.elf.
/// All errors are BuildErrors.
llvm::Expected<BuiltCandidate> buildCandidate(const Task &task, const Configuration &configuration,
                                              const BuildOptions &options, llvm::StringRef name);

} // namespace convoy::tuning
