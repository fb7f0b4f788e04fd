// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages after Layout on a task with a configuration.

#include "tuning/build/BuildCandidate.h"
#include "Codegen/LLVM/Passes.h"
#include "Graph/Attributes.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/TargetOptions.h"
#include "mlir/IR/Diagnostics.h"
#include <chrono>

using namespace mlir;

namespace convoy::tuning {

char BuildError::ID = 0;

namespace {

llvm::Error buildError(BuildProblem problem, llvm::Error error) {
  return llvm::make_error<BuildError>(problem, llvm::toString(std::move(error)));
}

/// Measures the seconds since the last call.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

} // namespace

llvm::StringRef name(BuildProblem problem) {
  switch (problem) {
  case BuildProblem::Task:
    return "task";
  case BuildProblem::Configuration:
    return "configuration";
  case BuildProblem::Compiler:
    return "compiler";
  }
  llvm_unreachable("unknown BuildProblem");
}

llvm::Error lowerCandidate(TaskModule &task, const Configuration &configuration,
                           const targets::Target &target) {
  if (llvm::Error error = forceConfiguration(task.kernel(), configuration)) {
    return buildError(BuildProblem::Configuration, std::move(error));
  }
  graph::numberInterface(task.main(), "x", "y"); // a library needs names
  std::string problem;
  ScopedDiagnosticHandler handler(task.module->getContext(), [&](Diagnostic &diagnostic) {
    problem += (problem.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  StageOptions options = optionsFor(target, task.settings.threads);
  // The comparison of the results finds a wrong pass, and the verifier takes half of the time
  // of the stages. The contracts are off because the contract of the Layout stage requires
  // planar results.
  options.verifyPasses = false;
  if (failed(runStages(*task.module, options, "tasks", "schedule"))) {
    return llvm::make_error<BuildError>(BuildProblem::Compiler, problem);
  }
  return llvm::Error::success();
}

llvm::Expected<BuiltCandidate> buildCandidate(const Task &task, const Configuration &configuration,
                                              const BuildOptions &options, StringRef name) {
  Stopwatch watch;
  BuiltCandidate built;
  // Starting and ending threads for each candidate would cost more than they gain.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  if (!module) {
    return buildError(BuildProblem::Task, module.takeError());
  }
  built.times.readSeconds = watch.lap();
  if (llvm::Error error = lowerCandidate(*module, configuration, options.target)) {
    return std::move(error);
  }
  codegen::CodegenOptions codegenOptions;
  codegenOptions.model = name.str();
  codegenOptions.target = options.target;
  codegenOptions.verifyPasses = false;
  codegenOptions.hasLineInfo = false;
  codegenOptions.isBare = true;
  if (llvm::Error error = codegen::lowerModule(*module->module, codegenOptions)) {
    return buildError(BuildProblem::Compiler, std::move(error));
  }
  built.times.stagesSeconds = watch.lap();
  auto files = codegen::writeLibrary(*module->module, codegenOptions, options.directory);
  if (!files) {
    return buildError(BuildProblem::Compiler, files.takeError());
  }
  built.files = std::move(*files);
  built.times.emitSeconds = watch.lap();
  return built;
}

} // namespace convoy::tuning
