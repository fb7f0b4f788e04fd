// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles for this machine with regions of a device, loads the code and gives it the
// device's simulator, as a program would give it a driver.

#include "DeviceTarget.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "MachineTarget.h"

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

} // namespace

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
