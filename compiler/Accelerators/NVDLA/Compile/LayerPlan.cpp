// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans one layer: PlanIntegers.cpp, PlanFloats.cpp and PlanMovement.cpp choose the jobs. The
// answers of the device about a layer, a refusal or a number of cycles, are read from the plan.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::nvdla {

using accelerators::Refusal;

/// Returns whether a layer changes no element.
static bool isMovement(Operation *op) {
  return isa<convcore::ConcatOp, convcore::SliceOp, convcore::ReshapeOp, convcore::RearrangeOp,
             convcore::CopyOp>(op);
}

PlannedLayer planLayer(Operation *op, const NvdlaOptions &options) {
  auto tensor = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  bool isOfFloats = tensor && isa<FloatType>(tensor.getElementType());
  return isMovement(op) ? planMovement(op, options)
         : isOfFloats   ? planFloatLayer(op, options)
                        : planIntegerLayer(op, options);
}

std::optional<Refusal> whyNotCube(Operation *op, Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  if (!element.isInteger(8) && !isa<FloatType>(element)) {
    bool hasSums =
        isa<convcore::ConvOp, convcore::PoolOp, convcore::EltwiseOp, convcore::IntegerLrnOp>(op);
    return Refusal{hasSums
                       ? "the device does not write 32-bit sums; the result needs a requantization"
                       : "the device supports only 8-bit integers",
                   "", std::nullopt};
  }
  if (!cubeOf(value.getType())) {
    return Refusal{"the device supports only tensors 1 x C x H x W or 1 x C",
                   "use a batch size of 1", std::nullopt};
  }
  if (graph::constantValue(value)) {
    return Refusal{"an operand is constant; the device supports only computed operands", "",
                   std::nullopt};
  }
  return std::nullopt;
}

std::optional<Refusal> whyNotWindow(uint64_t size) {
  if (size >= 3 && size <= 9 && size % 2 == 1) {
    return std::nullopt;
  }
  return Refusal{
      llvm::formatv("the device normalizes over 3, 5, 7 or 9 channels, and the op over {0}", size)
          .str(),
      "", std::nullopt};
}

std::optional<Refusal> whyNotLayer(Operation *op, const NvdlaOptions &options) {
  PlannedLayer planned = planLayer(op, options);
  const auto *refusal = std::get_if<Refusal>(&planned);
  return refusal ? std::optional(*refusal) : std::nullopt;
}

/// Returns the cycles of a layer on PDP, or on a unit that reads and writes each element once.
static uint64_t estimatePass(Operation *op, const NvdlaOptions &options) {
  CubeSize out = *cubeOf(op->getResult(0).getType());
  FusedJob fused;
  if (auto pool = dyn_cast<convcore::PoolOp>(op)) {
    fused.pdp = PdpJob();
    fused.pdp->input = *cubeOf(pool.getInput().getType());
    fused.pdp->outWidth = out.width;
    fused.pdp->outHeight = out.height;
  } else {
    fused.sdp = SdpJob();
    fused.sdp->size = out;
    fused.sdp->x1.isBypassed = false;
  }
  return estimateCycles(fused, *options.config).totalCycles;
}

uint64_t estimateLayer(Operation *op, const NvdlaOptions &options) {
  if (isa<convcore::ConcatOp, graph::ConstantOp>(op)) {
    return 0;
  }
  PlannedLayer planned = planLayer(op, options);
  const auto *plan = std::get_if<LayerPlan>(&planned);
  if (!plan || (isa<convcore::ReshapeOp>(op) && plan->rubik.empty())) {
    return 0;
  }
  uint64_t cycles = plan->conv ? cyclesOf(*plan->conv, splitGroups(*plan->conv, options), options)
                    : plan->rubik.empty() ? estimatePass(op, options)
                                          : 0;
  for (const RubikJob &job : plan->rubik) {
    cycles += estimateCycles(job, *options.config).totalCycles;
  }
  return cycles;
}

} // namespace convoy::nvdla
