// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves a pool of a join to the inputs of the join. Each part of the pool then overlaps with, or
// directly follows, the convolution that writes its input.

#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "Accelerators/NVDLA/Compile/Passes.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_SPLITPOOLSPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

/// Returns the join that only this pool reads and that has few enough inputs to split the pool.
JoinOp splittableJoin(PdpOp pdp) {
  auto join = pdp.getInput().getDefiningOp<JoinOp>();
  // For fp16 only joins of two inputs are split, to limit the number of operations.
  size_t most = precisionOf(pdp.getType()) == Precision::Int8 ? 4 : 2;
  return join && join->hasOneUse() && join.getInputs().size() <= most ? join : JoinOp();
}

void splitPool(PdpOp pdp, JoinOp join) {
  OpBuilder builder(pdp);
  SmallVector<Value> parts;
  for (Value input : join.getInputs()) {
    auto type = cast<RankedTensorType>(pdp.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[1] = cubeOf(input.getType())->channels;
    parts.push_back(builder.create<PdpOp>(
        pdp.getLoc(), type.clone(shape), input, pdp.getMethodAttr(), pdp.getKernelAttr(),
        pdp.getStridesAttr(), pdp.getPadsAttr(), pdp.getPadValueAttr()));
  }
  pdp.getResult().replaceAllUsesWith(
      builder.create<JoinOp>(join.getLoc(), pdp.getType(), parts).getResult());
  pdp.erase();
  join.erase();
}

struct SplitPools : impl::SplitPoolsPassBase<SplitPools> {
  using SplitPoolsPassBase::SplitPoolsPassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    if (!options) {
      return signalPassFailure();
    }
    if (options->isSeparate) {
      return;
    }
    for (PdpOp pdp : llvm::to_vector(getOperation().getBody().front().getOps<PdpOp>())) {
      if (JoinOp join = splittableJoin(pdp)) {
        splitPool(pdp, join);
      }
    }
  }
};

} // namespace
} // namespace convoy::nvdla
