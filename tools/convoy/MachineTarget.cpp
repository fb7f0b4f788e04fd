// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU: all stages, then LLVM, then code in this process or under an emulator.

#include "MachineTarget.h"
#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Pipeline/TargetOptions.h"
#include "mlir/Pass/PassManager.h"

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
    std::vector<Tensor> tensors;
    for (const Datum &input : inputs) {
      tensors.push_back(input.tensor);
    }
    llvm::Expected<std::vector<Tensor>> results = model->run(tensors);
    if (!results) {
      return emitError(loc) << llvm::toString(results.takeError());
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

private:
  std::unique_ptr<Model> model;
  Location loc;
};

/// Null after a diagnostic.
template <typename Model>
std::unique_ptr<Executable> asExecutable(llvm::Expected<std::unique_ptr<Model>> model,
                                         Location loc) {
  if (!model) {
    emitError(loc) << llvm::toString(model.takeError());
    return nullptr;
  }
  return std::make_unique<MachineExecutable<Model>>(std::move(*model), loc);
}

} // namespace

convoy::CompileOptions compileOptions(const targets::Target &target, int64_t threads) {
  convoy::CompileOptions options = optionsFor(target, threads);
  options.verifyStages = kVerifiesStages;
  return options;
}

LogicalResult lowerForMachine(ModuleOp module, const TargetOptions &options,
                              codegen::CodegenOptions &codegenOptions,
                              const accelerators::Accelerator *device) {
  convoy::CompileOptions stageOptions = compileOptions(codegenOptions.target, options.threads);
  stageOptions.layout.isStrictMath = options.isStrictMath;
  stageOptions.quantize.isInteger = options.isInteger;
  stageOptions.quantize.arithmetic = options.arithmetic;
  if (device) {
    placeOn(*device, stageOptions);
  }
  // What a planted bug does is to be seen in the result.
  stageOptions.verifyStages &= !options.instrument;
  codegenOptions.verifyStages = stageOptions.verifyStages;
  PassManager passes(module->getContext());
  buildPipeline(passes, stageOptions);
  codegen::addCodegenPasses(passes, codegenOptions);
  if (options.instrument) {
    options.instrument(passes);
  }
  return passes.run(module);
}

std::unique_ptr<Executable> MachineTarget::compile(OwningOpRef<ModuleOp> module,
                                                   const TargetOptions &options) const {
  Location loc = module->getLoc();
  codegen::CodegenOptions codegenOptions;
  codegenOptions.target = description;
  bool isHere = targets::whyNotHere(description).empty();
  if (!isHere) {
    // Before the work that would be in vain.
    llvm::Expected<std::string> emulator = codegen::findEmulator(description);
    if (!emulator) {
      emitError(loc) << llvm::toString(emulator.takeError());
      return nullptr;
    }
  }
  if (failed(lowerForMachine(*module, options, codegenOptions))) {
    return nullptr;
  }
  return isHere ? asExecutable(codegen::LoadedModel::load(*module, codegenOptions), loc)
                : asExecutable(codegen::EmulatedModel::build(*module, codegenOptions), loc);
}

bool isRunnable(const targets::Target &machine) {
  if (targets::whyNotHere(machine).empty()) {
    return true;
  }
  llvm::Expected<std::string> emulator = codegen::findEmulator(machine);
  if (!emulator) {
    llvm::consumeError(emulator.takeError());
    return false;
  }
  return true;
}

} // namespace convoy::driver
