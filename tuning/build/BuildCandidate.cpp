// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages after Layout on a task with a configuration.

#include "tuning/build/BuildCandidate.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Passes.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Driver/RequestOptions.h"
#include "Graph/Attributes.h"
#include "Kernels/Machine.h"
#include "Pipeline/RunStages.h"
#include "Support/TemporaryFolder.h"
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

llvm::Expected<StageOptions> stageOptions(const targets::Target &target, int64_t threads) {
  CompileRequest request;
  request.schedule.threads = threads;
  request.output.emit = driver::isBuiltFromSource(target) ? Emit::Source : Emit::Library;
  return driver::stageOptionsFor(request, driver::machineTarget(target), target.name);
}

llvm::Expected<codegen::ModelInterface> writeMicroProgram(ModuleOp module,
                                                          const codegen::SourceOptions &source,
                                                          const std::string &directory) {
  llvm::Expected<std::unique_ptr<driver::MicroProgram>> program =
      driver::MicroProgram::build(module, source);
  if (!program) {
    return program.takeError();
  }
  if (llvm::Error error = (*program)->save(directory)) {
    return std::move(error);
  }
  return (*program)->description();
}

llvm::Expected<codegen::ModelInterface> writeSourceProgram(ModuleOp module,
                                                           const codegen::SourceOptions &source,
                                                           const std::string &program) {
  TemporaryFolder folder;
  if (llvm::Error error = folder.createInSystem()) {
    return std::move(error);
  }
  llvm::Expected<codegen::SourceFiles> files = codegen::writeSource(module, source, folder.path());
  if (!files) {
    return files.takeError();
  }
  std::string built = folder.file("program");
  if (llvm::Error error = driver::buildSourceProgram({files->source, files->weightsAssembly},
                                                     source.target, built)) {
    return std::move(error);
  }
  namespace fs = llvm::sys::fs;
  std::error_code error = fs::copy_file(built, program);
  error = error ? error : fs::setPermissions(program, fs::all_read | fs::owner_write | fs::all_exe);
  if (error) {
    return llvm::createStringError("cannot write '" + program + "': " + error.message());
  }
  return files->interface;
}

/// Builds a program from a lowered task. Only the program stays on the disk.
llvm::Expected<codegen::LibraryFiles> writeProgram(ModuleOp module, const BuildOptions &options,
                                                   StringRef name) {
  codegen::SourceOptions source;
  source.model = name.str();
  source.target = options.target;
  source.flavor = options.target.sourceLoops == targets::LoopForm::Plain ? codegen::Flavor::Plain
                                                                         : codegen::Flavor::Vectors;
  if (std::error_code error = llvm::sys::fs::create_directories(options.directory)) {
    return llvm::createStringError("cannot create '" + options.directory + "': " + error.message());
  }
  codegen::LibraryFiles files;
  files.library = inFolder(options.directory, name + ".elf");
  auto interface = options.target.toolchain ? writeMicroProgram(module, source, options.directory)
                                            : writeSourceProgram(module, source, files.library);
  if (!interface) {
    return interface.takeError();
  }
  files.interface = std::move(*interface);
  return files;
}

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
  llvm::Expected<StageOptions> options = stageOptions(target, task.settings.threads);
  if (!options) {
    return buildError(BuildProblem::Task, options.takeError());
  }
  // The layout of weights depends on the instructions of the machine.
  kernels::setMachine(*task.module, options->machine);
  if (llvm::Error error = forceConfiguration(task.kernel(), configuration)) {
    return buildError(BuildProblem::Configuration, std::move(error));
  }
  graph::numberInterface(task.main(), "x", "y"); // a library needs names
  std::string problem;
  ScopedDiagnosticHandler handler(task.module->getContext(), [&](Diagnostic &diagnostic) {
    problem += (problem.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  // The comparison of the results finds a wrong pass, and the verifier takes half of the time
  // of the stages. The contracts are off because the contract of the Layout stage requires
  // planar results.
  options->verifyPasses = false;
  options->verifyStages = false;
  StringRef last = options->exit == Exit::Source ? "" : "schedule";
  if (failed(runStages(*task.module, *options, "tasks", last))) {
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
  if (options.target.toolchain || driver::isBuiltFromSource(options.target)) {
    built.times.stagesSeconds = watch.lap();
    auto files = writeProgram(*module->module, options, name);
    if (!files) {
      return buildError(BuildProblem::Compiler, files.takeError());
    }
    built.files = std::move(*files);
    built.times.emitSeconds = watch.lap();
    return built;
  }
  codegen::CodegenOptions codegenOptions;
  codegenOptions.model = name.str();
  codegenOptions.target = options.target;
  codegenOptions.verifyPasses = false;
  codegenOptions.hasLineInfo = false;
  codegenOptions.isBare = !options.isLoadable;
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
