// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads code for a CPU into this process, or runs the code under an emulator.

#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Driver/Loaders.h"
#include "Support/TypedDiagnostic.h"

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
std::unique_ptr<Executable> asExecutable(llvm::Expected<std::unique_ptr<Model>> model, Location loc,
                                         codegen::ModelInterface &interface) {
  if (!model) {
    emitError(loc, model.takeError());
    return nullptr;
  }
  interface = (*model)->description();
  return std::make_unique<MachineExecutable<Model>>(std::move(*model), loc);
}

} // namespace

llvm::Error checkRunnable(const targets::Target &machine) {
  if (machine.toolchain) {
    return checkMicroTools(machine);
  }
  return targets::whyNotHere(machine).empty() ? llvm::Error::success()
                                              : codegen::findEmulator(machine).takeError();
}

std::unique_ptr<Executable> loadMachine(ModuleOp module, const codegen::CodegenOptions &options,
                                        codegen::ModelInterface &interface) {
  Location loc = module.getLoc();
  return targets::whyNotHere(options.target).empty()
             ? asExecutable(codegen::LoadedModel::load(module, options), loc, interface)
             : asExecutable(codegen::EmulatedModel::build(module, options), loc, interface);
}

} // namespace convoy::driver
