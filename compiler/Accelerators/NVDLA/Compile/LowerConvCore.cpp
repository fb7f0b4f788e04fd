// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers each convcore layer to the jobs of its plan (LayerPlan.h), in the same order. The passes
// after this one change where values are stored and how units execute a job.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Compile/Passes.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_LOWERCONVCOREPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

LogicalResult lowerLayer(Operation &op, const NvdlaOptions &options) {
  if (!isa<convcore::ConvCoreDialect>(op.getDialect()) || op.getNumOperands() == 0) {
    return op.emitOpError("expects only convcore layers and constants in the function");
  }
  PlannedLayer planned = planLayer(&op, options);
  if (const auto *refusal = std::get_if<accelerators::Refusal>(&planned)) {
    return emitUnsupported(&op, "not supported by '")
           << options.config->name << "': " << refusal->reason;
  }
  OpBuilder builder(&op);
  op.getResult(0).replaceAllUsesWith(buildJobs(&op, std::get<LayerPlan>(planned), builder));
  op.erase();
  return success();
}

struct LowerConvCore : impl::LowerConvCorePassBase<LowerConvCore> {
  using LowerConvCorePassBase::LowerConvCorePassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    if (!options) {
      return signalPassFailure();
    }
    mlir::Block &block = getOperation().getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (!isa<graph::ConstantOp>(op) && failed(lowerLayer(op, *options))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace convoy::nvdla
