// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads code for a CPU into this process, or runs the code under an emulator.

#include "Driver/Backends/Machine/MachineBackend.h"
#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Driver/BackendJob.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Driver/LoadedProgram.h"
#include "Driver/ReportFiles.h"
#include "Pipeline/TargetOptions.h"
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
  reportInterface((*model)->description(), job.artefact.report);
  return std::make_unique<MachineExecutable<Model>>(std::move(*model), loc);
}

/// Returns the description of a machine in the format of a .json file for --target.
llvm::json::Value descriptionOf(const targets::Target &machine) {
  llvm::Expected<llvm::json::Value> description = llvm::json::parse(targets::toJson(machine));
  if (!description) {
    llvm::consumeError(description.takeError());
    return nullptr;
  }
  return std::move(*description);
}

} // namespace

llvm::Error MachineBackend::checkRunnable(const ResolvedTarget &target) const {
  return whyNotNative(target).empty() ? llvm::Error::success()
                                      : codegen::findEmulator(target.machine).takeError();
}

std::string MachineBackend::whyNotNative(const ResolvedTarget &target) const {
  return targets::whyNotHere(target.machine);
}

plan::TargetTypes MachineBackend::types(const ResolvedTarget &target) const {
  plan::TargetTypes types = Backend::types(target);
  kernels::Machine machine = machineOf(target.machine);
  types.activation = activationType(machine);
  types.hasWideTemplates = !machine.hasByteOps;
  return types;
}

std::unique_ptr<Executable> MachineBackend::load(BackendJob &job) const {
  const codegen::CodegenOptions &options = job.options.codegen;
  return whyNotNative(job.target).empty()
             ? asExecutable(codegen::LoadedModel::load(*job.module, options), job)
             : asExecutable(codegen::EmulatedModel::build(*job.module, options), job);
}

llvm::Error MachineBackend::measure(const ResolvedTarget &, MeasureMethods &methods) const {
  methods.timeLibrary();
  return llvm::Error::success();
}

TargetDescription MachineBackend::describeMachine(const targets::Target &machine) {
  TargetDescription result;
  result.properties = targets::propertiesOf(machine);
  result.json["fingerprint"] = machine.fingerprint();
  result.json["description"] = descriptionOf(machine);
  return result;
}

std::string MachineBackend::emulation(const ResolvedTarget &target,
                                      const std::vector<std::string> &command) const {
  return !whyNotNative(target).empty() && isRunnable(target) ? "; here under " + command.front()
                                                             : "";
}

TargetDescription MachineBackend::describe(const ResolvedTarget &target) const {
  const targets::Target &machine = target.machine;
  TargetDescription result = describeMachine(machine);
  result.summary = target.summary + "; " + std::to_string(machine.vectorBytes * 8) +
                   "-bit vectors, " + std::to_string(machine.cores) +
                   (machine.cores == 1 ? " core" : " cores") + emulation(target, machine.emulator);
  bool isCountable = isBuiltFromSource(machine) && !machine.emulator.empty();
  if (whyNotNative(target).empty()) {
    result.verbs = {"compile", "run", "check", "bench", "tune", "explain"};
  } else if (isRunnable(target)) {
    result.verbs = {"compile", "run", "check", "tune", "explain"};
  } else if (isCountable) {
    result.verbs = {"compile", "tune", "explain"};
  } else {
    result.verbs = {"compile", "explain"};
  }
  return result;
}

const Backend &machineBackend() {
  static const MachineBackend backend;
  return backend;
}

} // namespace convoy::driver
