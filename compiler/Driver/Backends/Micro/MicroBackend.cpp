// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds programs for microcontrollers from emitted C, and runs them under the emulator of the
// target.

#include "Driver/BackendJob.h"
#include "Driver/Backends/Micro/MemoryFit.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/Backends/Micro/MicroText.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Driver/LoadedProgram.h"
#include "Driver/ReportFiles.h"
#include "Driver/RequestOptions.h"
#include "Driver/WriteArtifact.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class MicroExecutable : public Executable {
public:
  MicroExecutable(std::unique_ptr<MicroProgram> program, Location loc)
      : program(std::move(program)), loc(loc) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    llvm::Expected<std::vector<Tensor>> results = program->run(tensorsOf(inputs));
    if (!results) {
      return emitError(loc, results.takeError());
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

  const MicroProgram *micro() const override { return program.get(); }

private:
  std::unique_ptr<MicroProgram> program;
  Location loc;
};

/// Builds the program of the module. Returns an error if the program exceeds the request's limits.
llvm::Expected<std::unique_ptr<MicroProgram>> build(BackendJob &job) {
  llvm::Expected<std::unique_ptr<MicroProgram>> program =
      MicroProgram::build(*job.module, sourceOptionsFor(job));
  if (!program) {
    return program;
  }
  if (llvm::Error error = checkLimits(memoryNeedOf(**program), job.request.output.limits)) {
    return error;
  }
  return program;
}

/// Lists the memories of a microcontroller for the planner. The first memory loses the stack, if it
/// holds the stack, and the variables of runtime/micro.
void setMemories(const targets::Target &target, memory::MemoryOptions &options) {
  constexpr int64_t kRuntimeBytes = 1024;
  std::vector<const targets::Memory *> memories = memoriesFor(target, "data");
  const targets::Memory &fastest = *memories.front();
  for (const targets::Memory *memory : memories) {
    options.memories.push_back({memory->name, memory->bytes});
  }
  int64_t used = &memoryFor(target, "stack") == &fastest ? target.toolchain->stackBytes : 0;
  options.memories.front().bytes = std::max<int64_t>(fastest.bytes - used - kRuntimeBytes, 1);
  options.copiesWeights = llvm::is_contained(fastest.holds, "weights") &&
                          fastest.accessCycles < memoryFor(target, "weights").accessCycles;
}

class MicroBackend : public Backend {
public:
  MicroBackend()
      : Backend({"CPU", Emit::Source, /*hasKernels=*/true, /*allowsOpenDims=*/false,
                 /*reportsMemory=*/true}) {}

  llvm::Error check(const CompileRequest &request, const ResolvedTarget &target) const override {
    return request.output.emit == Emit::Library
               ? llvm::createStringError(
                     "--emit=library expects a target with shared libraries, got '" + target.name +
                     "'; use --emit=c")
               : Backend::check(request, target);
  }

  llvm::Error checkRunnable(const ResolvedTarget &target) const override {
    return checkMicroTools(target.machine);
  }

  std::string whyNotNative(const ResolvedTarget &target) const override {
    return machineBackend().whyNotNative(target);
  }

  /// A microcontroller has no cache lines; its description gives the alignment of tensors. Vector
  /// types need the alignment of a vector. Layers run row by row where this needs less memory.
  llvm::Error setOptions(const CompileRequest &request, const ResolvedTarget &target,
                         StageOptions &options) const override {
    if (options.schedule.threads > 1) {
      return llvm::createStringError("--threads expects 1 for target '" + target.name +
                                     "', which has one core and no threads, got " +
                                     std::to_string(options.schedule.threads));
    }
    setSourceExit(options, /*hasVectorTypes=*/false);
    if (llvm::Error error = setIoPlace(request, options)) {
      return error;
    }
    if (request.output.loops != SourceLoops::Vectors) {
      options.memory.alignment = memoryFor(target.machine, "data").alignmentBytes;
      options.memory.rows = request.schedule.localise == Localise::Default;
    }
    setMemories(target.machine, options.memory);
    return llvm::Error::success();
  }

  plan::TargetTypes types(const ResolvedTarget &target) const override {
    plan::TargetTypes types = machineBackend().types(target);
    types.hasIntegerEnds = true;
    return types;
  }

  std::unique_ptr<Executable> load(BackendJob &job) const override {
    Location loc = job.module->getLoc();
    llvm::Expected<std::unique_ptr<MicroProgram>> program = build(job);
    if (!program) {
      llvm::handleAllErrors(program.takeError(), [&](const llvm::ErrorInfoBase &problem) {
        emitError(loc) << problem.message();
      });
      return nullptr;
    }
    reportInterface((*program)->description(), job.artifact.report);
    return std::make_unique<MicroExecutable>(std::move(*program), loc);
  }

  /// Builds the program only if its size matters.
  llvm::Error write(BackendJob &job) const override {
    const MemoryLimits &limits = job.request.output.limits;
    if (limits.ramBytes != 0 || limits.flashBytes != 0) {
      if (llvm::Error error = build(job).takeError()) {
        return error;
      }
    }
    return Backend::write(job);
  }

  llvm::Error measure(const ResolvedTarget &, MeasureMethods &methods) const override {
    methods.countInstructions();
    return llvm::Error::success();
  }

  TargetDescription describe(const ResolvedTarget &target) const override {
    TargetDescription result = machineBackend().describe(target);
    result.summary = target.summary;
    result.verbs = {"compile", "explain"};
    if (isRunnable(target)) {
      result.summary += "; here under " + target.machine.toolchain->emulator.command.front();
      result.verbs = {"compile", "run", "check", "bench", "tune", "explain"};
    }
    return result;
  }
};

} // namespace

const Backend &microBackend() {
  static const MicroBackend backend;
  return backend;
}

} // namespace convoy::driver
