// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads code for this machine whose device regions run on the device's simulator.

#include "Codegen/LLVM/LoadedModel.h"
#include "Driver/Loaders.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class DeviceExecutable : public Executable {
public:
  DeviceExecutable(std::unique_ptr<codegen::LoadedModel> model,
                   std::unique_ptr<accelerators::Simulator> simulator, Location loc)
      : simulator(std::move(simulator)), model(std::move(model)), loc(loc) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    llvm::Expected<std::vector<Tensor>> results = model->run(tensorsOf(inputs));
    if (!results) {
      return emitError(loc, results.takeError())
             << (simulator->error().empty() ? "" : "; the simulator says: ") << simulator->error();
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

  const convoy_model *table() const override { return &model->table(); }

private:
  std::unique_ptr<accelerators::Simulator> simulator; // outlives the model's programs
  std::unique_ptr<codegen::LoadedModel> model;
  Location loc;
};

} // namespace

std::unique_ptr<Executable> loadDevice(ModuleOp module, const codegen::CodegenOptions &options,
                                       const accelerators::Accelerator &device,
                                       const convoy_device *table,
                                       codegen::ModelInterface &interface) {
  Location loc = module.getLoc();
  auto model = codegen::LoadedModel::load(module, options);
  if (!model) {
    emitError(loc, model.takeError());
    return nullptr;
  }
  interface = (*model)->description();
  std::unique_ptr<accelerators::Simulator> simulator = device.simulator();
  if (llvm::Error error = (*model)->init(table ? *table : simulator->device())) {
    emitError(loc, std::move(error)) << "; " << simulator->error();
    return nullptr;
  }
  return std::make_unique<DeviceExecutable>(std::move(*model), std::move(simulator), loc);
}

} // namespace convoy::driver
