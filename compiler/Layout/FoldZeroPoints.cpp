// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-fold-zero-points. The sum of w (x - zero) is the sum of w x minus
// zero * sum(w), a constant per channel. Byte ops then add one number per channel instead of two.
// A convolution with padding keeps its zero point, because padding represents it.

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Core/WeightDims.h"
#include "Kernels/Machine.h"
#include "Layout/Passes.h"

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_FOLDZEROPOINTSPASS
#include "Layout/Passes.h.inc"

namespace {

bool isPadded(Operation *op) {
  auto conv = dyn_cast<graph::IntegerConvOp>(op);
  return conv && llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
}

/// Returns bias - zeroPoint * sum(weights) per channel; sums wrap in i32.
Tensor foldedBias(const Tensor &bias, const Tensor &weight, int64_t zeroPoint, bool isTransposed) {
  kernels::WeightDims dims(weight.shape(), isTransposed);
  Tensor result(bias.type(), bias.shape());
  auto *folded = result.mutableData<int32_t>();
  int64_t perOutput = dims.i * dims.taps;
  for (int64_t o = 0; o < dims.o; ++o) {
    int64_t sum = 0;
    for (int64_t k = 0; k < perOutput; ++k) {
      sum += weight.asInt(isTransposed ? k * dims.o + o : o * perOutput + k);
    }
    folded[o] = static_cast<int32_t>(bias.asInt(o) - zeroPoint * sum);
  }
  return result;
}

void clearZeroPoint(Operation *op) {
  if (auto conv = dyn_cast<graph::IntegerConvOp>(op)) {
    conv.setInputZeroPoint(0);
  } else {
    cast<graph::IntegerMatMulOp>(op).setLhsZeroPoint(0);
  }
}

struct FoldZeroPoints : impl::FoldZeroPointsPassBase<FoldZeroPoints> {
  void runOnOperation() override {
    if (!kernels::machineOf(getOperation()).hasByteOps) {
      return;
    }
    getOperation().walk([&](graph::KernelOp kernel) {
      bool isOfDevice = isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr());
      if (!isOfDevice && fold(kernel)) {
        ++folded;
      }
    });
  }

  static bool fold(graph::KernelOp kernel) {
    Block &body = kernel.getBody().front();
    std::optional<kernels::ConvKernel> layer = kernels::matchIntegerKernel(body);
    auto bias = layer ? dyn_cast_or_null<BlockArgument>(layer->bias()) : BlockArgument();
    if (!bias || !bias.hasOneUse() || isPadded(layer->op) || layer->integers->inputZeroPoint == 0 ||
        layer->integers->weightZeroPoint != 0 || layer->weightZeroPoints()) {
      return false;
    }
    std::optional<Tensor> weights = graph::constantValue(kernel.getInputs()[layer->weight]);
    std::optional<Tensor> biases = graph::constantValue(kernel.getInputs()[bias.getArgNumber()]);
    if (!weights || !biases || biases->type() != ElementType::I32) {
      return false;
    }
    OpBuilder builder(kernel);
    Tensor replacement =
        foldedBias(*biases, *weights, layer->integers->inputZeroPoint, layer->problem.isMatrix);
    OpOperand &operand = kernel.getInputsMutable()[bias.getArgNumber()];
    Operation *replaced = operand.get().getDefiningOp();
    operand.set(graph::constant(builder, kernel.getLoc(), replacement));
    if (replaced->use_empty()) {
      replaced->erase();
    }
    clearZeroPoint(layer->op);
    return true;
  }
};

} // namespace
} // namespace convoy::layout
