// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a device program through the function table, as a compiled model does.

#include "DeviceCase.h"
#include "convoy/convoy.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/PassManager.h"
#include <random>

using namespace mlir;

namespace convoy::accelerators {

FailureOr<std::vector<Tensor>> runOnDevice(func::FuncOp function, const Accelerator &device,
                                           ArrayRef<Tensor> inputs) {
  OwningOpRef<func::FuncOp> own = function.clone();
  PassManager passes(function.getContext(), "func.func");
  device.addPasses(passes);
  if (failed(passes.run(*own))) {
    return failure();
  }
  FailureOr<Program> program = device.lower(*own, DependenceGraph(own->getBody().front()));
  if (failed(program)) {
    return failure();
  }
  std::vector<uint8_t> bytes = encodeProgram(*program, device.name());
  std::unique_ptr<Simulator> simulator = device.simulator();
  convoy_loaded_program loaded = {};
  int code = convoy_load_program(&simulator->device(), bytes.data(), bytes.size(), &loaded);
  std::vector<const void *> in;
  for (const Tensor &input : inputs) {
    in.push_back(input.raw());
  }
  std::vector<Tensor> results;
  std::vector<void *> out;
  for (Type type : function.getResultTypes()) {
    auto ranked = cast<RankedTensorType>(type);
    results.emplace_back(fromMlir(ranked.getElementType()), ranked.getShape());
  }
  for (Tensor &result : results) {
    out.push_back(result.mutableRaw());
  }
  code = code == CONVOY_OK ? convoy_run_program(&loaded, in.data(), out.data()) : code;
  convoy_unload_program(&loaded);
  if (code != CONVOY_OK) {
    return function.emitError(convoy_error_text(code)) << ": " << simulator->error();
  }
  return results;
}

Tensor smallNumbers(Type type, uint32_t seed) {
  auto ranked = cast<RankedTensorType>(type);
  Tensor tensor(fromMlir(ranked.getElementType()), ranked.getShape());
  std::mt19937 random(seed);
  bool isUnsigned = isUnsignedInteger(tensor.type());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t value = static_cast<int64_t>(random() % 9);
    isFloat(tensor.type()) ? tensor.setDouble(i, static_cast<double>(value - 4) / 4)
                           : tensor.setInt(i, isUnsigned ? value : value - 4);
  }
  return tensor;
}

} // namespace convoy::accelerators
