// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Submits the layers through the driver interface of convoy/device.h.

#include "Driver/Backends/Device/RunLayers.h"
#include "convoy/convoy.h"

using namespace mlir;

namespace convoy::driver {

using reference::Datum;

FailureOr<std::vector<Datum>>
runLayers(func::FuncOp layers, const accelerators::Accelerator &device, ArrayRef<Datum> inputs) {
  FailureOr<accelerators::Program> program =
      device.lower(layers, accelerators::DependenceGraph(layers.getBody().front()));
  if (failed(program)) {
    return failure();
  }
  std::vector<uint8_t> bytes = accelerators::encodeProgram(*program, device.name());
  std::unique_ptr<accelerators::Simulator> simulator = device.simulator();
  convoy_loaded_program loaded = {};
  int code = convoy_load_program(&simulator->device(), bytes.data(), bytes.size(), &loaded);
  std::vector<const void *> in;
  for (const Datum &input : inputs) {
    in.push_back(input.tensor.raw());
  }
  std::vector<Tensor> results;
  for (Type type : layers.getResultTypes()) {
    auto ranked = cast<RankedTensorType>(type);
    results.emplace_back(fromMlir(ranked.getElementType()), ranked.getShape());
  }
  std::vector<void *> out;
  for (Tensor &result : results) {
    out.push_back(result.mutableRaw());
  }
  if (code == CONVOY_OK) {
    code = convoy_run_program(&loaded, in.data(), out.data());
    convoy_unload_program(&loaded);
  }
  if (code != CONVOY_OK) {
    return layers.emitError(convoy_error_text(code)) << ": " << simulator->error();
  }
  return std::vector<Datum>(results.begin(), results.end());
}

} // namespace convoy::driver
