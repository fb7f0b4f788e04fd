// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles for this machine with regions of a device, loads the code and gives it the
// device's simulator, as a program would give it a driver.

#include "DeviceTarget.h"
#include "Accelerators/Passes.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "MachineTarget.h"
#include "Pipeline/Pipeline.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class DeviceExecutable : public Executable {
public:
  DeviceExecutable(std::unique_ptr<codegen::LoadedModel> model,
                   std::unique_ptr<accelerators::Simulator> simulator, Location loc)
      : simulator(std::move(simulator)), model(std::move(model)), loc(loc) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    std::vector<Tensor> tensors;
    for (const Datum &input : inputs) {
      tensors.push_back(input.tensor);
    }
    llvm::Expected<std::vector<Tensor>> results = model->run(tensors);
    if (!results) {
      std::string text = llvm::toString(results.takeError());
      return emitError(loc) << text << (simulator->error().empty() ? "" : "; the simulator says: ")
                            << simulator->error();
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

private:
  std::unique_ptr<accelerators::Simulator> simulator; // outlives the model's programs
  std::unique_ptr<codegen::LoadedModel> model;
  Location loc;
};

/// What a device is asked to run, run by the reference instead.
class LayersTarget : public Target {
public:
  explicit LayersTarget(llvm::StringRef device) : device(device) {}

  llvm::StringRef name() const override { return device; }
  llvm::StringRef summary() const override { return "layers of a device, by the reference"; }
  std::unique_ptr<Executable> compile(OwningOpRef<ModuleOp> module,
                                      const TargetOptions &options) const override {
    convoy::CompileOptions stageOptions = compileOptions(targets::detectHost(), options.threads);
    stageOptions.place.device = device;
    stageOptions.quantize.isInteger = options.isInteger;
    stageOptions.quantize.arithmetic = options.arithmetic;
    PassManager passes(module->getContext());
    buildPipeline(passes, stageOptions, "place");
    passes.addPass(accelerators::createInsertLayersPass());
    return succeeded(passes.run(*module)) ? createInterpreter(std::move(module)) : nullptr;
  }

private:
  std::string device;
};

} // namespace

ElementType DeviceTarget::floatType() const {
  ElementType type = device->floatType();
  return type == ElementType::Undefined ? ElementType::F32 : type;
}

std::unique_ptr<Target> DeviceTarget::createLayers() const {
  return floatType() == ElementType::F32 ? nullptr : std::make_unique<LayersTarget>(name());
}

std::unique_ptr<Executable> DeviceTarget::compile(OwningOpRef<ModuleOp> module,
                                                  const TargetOptions &options) const {
  Location loc = module->getLoc();
  codegen::CodegenOptions codegenOptions;
  codegenOptions.target = targets::detectHost();
  if (failed(lowerForMachine(*module, options, codegenOptions, device.get()))) {
    return nullptr;
  }
  auto model = codegen::LoadedModel::load(*module, codegenOptions);
  if (!model) {
    emitError(loc) << llvm::toString(model.takeError());
    return nullptr;
  }
  std::unique_ptr<accelerators::Simulator> simulator = device->simulator();
  if (llvm::Error error = (*model)->init(simulator->device())) {
    emitError(loc) << llvm::toString(std::move(error)) << "; " << simulator->error();
    return nullptr;
  }
  return std::make_unique<DeviceExecutable>(std::move(*model), std::move(simulator), loc);
}

} // namespace convoy::driver
