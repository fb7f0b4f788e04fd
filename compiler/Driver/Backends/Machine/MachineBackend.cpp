// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads code for a CPU into this process, or runs the code under an emulator.

#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Driver/BackendJob.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Driver/CustomLibrary.h"
#include "Driver/LoadedProgram.h"
#include "Driver/ReportFiles.h"
#include "Pipeline/TargetOptions.h"
#include "Support/Json.h"
#include "Support/TypedDiagnostic.h"
#include "Targets/DescribeTarget.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// `Model` is codegen::LoadedModel or codegen::EmulatedModel.
template <typename Model>
class MachineExecutable : public Executable {
public:
  MachineExecutable(std::unique_ptr<Model> model, Location loc)
      : model(std::move(model)), loc(loc) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    llvm::Expected<std::vector<Tensor>> results = model->run(tensorsOf(inputs));
    if (!results) {
      return emitError(loc, results.takeError());
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

  const convoy_model *table() const override {
    if constexpr (std::is_same_v<Model, codegen::LoadedModel>) {
      return &model->table();
    } else {
      return nullptr; // the emulator has the model in another process
    }
  }

private:
  std::unique_ptr<Model> model;
  Location loc;
};

/// Returns null after a diagnostic.
template <typename Model>
std::unique_ptr<Executable> asExecutable(llvm::Expected<std::unique_ptr<Model>> model,
                                         BackendJob &job) {
  Location loc = job.module->getLoc();
  if (!model) {
    emitError(loc, model.takeError());
    return nullptr;
  }
  reportInterface((*model)->description(), job.artifact.report);
  return std::make_unique<MachineExecutable<Model>>(std::move(*model), loc);
}

/// Returns the description of a machine in the format of a .json file for --target.
llvm::json::Value descriptionOf(const targets::Target &machine) {
  llvm::Expected<llvm::json::Value> description = parseJson(targets::toJson(machine));
  if (!description) {
    llvm::consumeError(description.takeError());
    return nullptr;
  }
  return std::move(*description);
}

/// CPUs with an operating system: object code in a shared library, or in this process.
class MachineBackend : public Backend {
public:
  MachineBackend() : Backend({"CPU", Emit::Library}) {}

  llvm::Error checkRunnable(const ResolvedTarget &target) const override {
    return whyNotNative(target).empty() ? llvm::Error::success()
                                        : codegen::findEmulator(target.machine).takeError();
  }

  std::string whyNotNative(const ResolvedTarget &target) const override {
    return targets::whyNotHere(target.machine);
  }

  plan::TargetTypes types(const ResolvedTarget &target) const override {
    plan::TargetTypes types = Backend::types(target);
    kernels::Machine machine = machineOf(target.machine);
    types.activation = activationType(machine);
    types.hasWideTemplates = !machine.hasByteOps;
    return types;
  }

  std::unique_ptr<Executable> load(BackendJob &job) const override {
    codegen::CodegenOptions &options = job.options.codegen;
    if (whyNotNative(job.target).empty()) {
      return asExecutable(codegen::LoadedModel::load(*job.module, options), job);
    }
    auto objects = customObjectsFor(*job.module, job.target.machine);
    if (!objects) {
      emitError(job.module->getLoc(), objects.takeError());
      return nullptr;
    }
    options.customObjects = std::move(*objects);
    return asExecutable(codegen::EmulatedModel::build(*job.module, options), job);
  }

  llvm::Error measure(const ResolvedTarget &, MeasureMethods &methods) const override {
    methods.timeLibrary();
    return llvm::Error::success();
  }

  TargetDescription describe(const ResolvedTarget &target) const override {
    const targets::Target &machine = target.machine;
    bool isNative = whyNotNative(target).empty(), isEmulated = !isNative && isRunnable(target);
    bool isCountable = isBuiltFromSource(machine) && !machine.emulator.empty();
    TargetDescription result;
    result.summary = target.summary + "; " + std::to_string(machine.vectorBytes * 8) +
                     "-bit vectors, " + std::to_string(machine.cores) +
                     (machine.cores == 1 ? " core" : " cores") +
                     (isEmulated ? "; here under " + machine.emulator.front() : "");
    using Verbs = std::vector<std::string>;
    result.verbs = isNative      ? Verbs{"compile", "run", "check", "bench", "tune", "explain"}
                   : isEmulated  ? Verbs{"compile", "run", "check", "tune", "explain"}
                   : isCountable ? Verbs{"compile", "tune", "explain"}
                                 : Verbs{"compile", "explain"};
    result.properties = targets::propertiesOf(machine);
    result.json["fingerprint"] = machine.fingerprint();
    result.json["description"] = descriptionOf(machine);
    return result;
  }
};

} // namespace

const Backend &machineBackend() {
  static const MachineBackend backend;
  return backend;
}

} // namespace convoy::driver
