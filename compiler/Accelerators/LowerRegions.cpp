// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles each region to its program: lowering to convcore, the shared rewrites, the device's own
// passes, the device's lowering, and the frame of convoy/device.h.

#include "Accelerators/Passes.h"
#include "Accelerators/RegionLayers.h"
#include "Accelerators/Registry.h"
#include "Graph/Constant.h"
#include "Kernels/Kernel.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::accelerators {
#define GEN_PASS_DEF_LOWERREGIONSPASS
#include "Accelerators/Passes.h.inc"

namespace {

Tensor asTensor(const std::vector<uint8_t> &bytes) {
  Tensor tensor(ElementType::U8, {static_cast<int64_t>(bytes.size())});
  std::copy(bytes.begin(), bytes.end(), tensor.mutableData<uint8_t>());
  return tensor;
}

struct LowerRegions : impl::LowerRegionsPassBase<LowerRegions> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<convcore::ConvCoreDialect, graph::GraphDialect, kernels::KernelDialect>();
    registerDeviceDialects(registry);
  }

  void runOnOperation() override {
    for (graph::KernelOp kernel : regionsOf(getOperation())) {
      if (failed(compile(kernel))) {
        return signalPassFailure();
      }
    }
  }

  LogicalResult compile(graph::KernelOp kernel) {
    auto config = cast<kernels::OffloadAttr>(kernel.getConfigAttr());
    std::unique_ptr<Accelerator> device = requireAccelerator(kernel, config.getDevice());
    if (!device) {
      return failure();
    }
    FailureOr<func::FuncOp> function = layersOf(kernel, getOperation(), *device);
    if (failed(function)) {
      return failure();
    }
    FailureOr<Program> program = lower(*function, *device);
    function->erase();
    if (failed(program)) {
      return failure();
    }
    addProgram(kernel, config, encodeProgram(*program, config.getDevice()));
    return success();
  }

  FailureOr<Program> lower(func::FuncOp function, const Accelerator &device) {
    OpPassManager own("func.func");
    device.addPasses(own);
    if (failed(verify(function)) || failed(runPipeline(own, function))) {
      return failure();
    }
    return device.lower(function, DependenceGraph(function.getBody().front()));
  }

  void addProgram(graph::KernelOp kernel, kernels::OffloadAttr config,
                  const std::vector<uint8_t> &bytes) {
    programBytes += static_cast<int64_t>(bytes.size());
    OpBuilder builder(kernel);
    Value program = graph::constant(builder, kernel.getLoc(), asTensor(bytes));
    kernel->insertOperands(0, {program});
    kernel.getBody().front().insertArgument(0u, program.getType(), kernel.getLoc());
    kernel.setConfigAttr(
        kernels::OffloadAttr::get(&getContext(), config.getDevice(), /*program=*/true));
  }
};

} // namespace
} // namespace convoy::accelerators
