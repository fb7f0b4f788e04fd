// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses SDP jobs on fp16 into the SDP job before them while stages are free. Integer jobs stay
// apart, because the integer graph rounds to 8 bits between them.

#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "Accelerators/NVDLA/Compile/Passes.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_FUSESTAGESPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

/// Returns the stages of a job with their operands.
SmallVector<std::pair<StageAttr, Value>, 4> stagesOf(SdpOp sdp) {
  SmallVector<std::pair<StageAttr, Value>, 4> stages;
  if (sdp.getX1Attr()) {
    stages.push_back({sdp.getX1Attr(), sdp.getX1Data()});
  }
  if (sdp.getX2Attr()) {
    stages.push_back({sdp.getX2Attr(), sdp.getX2Data()});
  }
  return stages;
}

/// Returns whether `second` is the only user of `first` and the stages of both fit in one job.
bool canJoin(SdpOp first, SdpOp second) {
  return first && first->hasOneUse() && !first.getToPdp() && !first.getCurve() &&
         stagesOf(first).size() + stagesOf(second).size() <= 2;
}

SdpOp join(SdpOp first, SdpOp second) {
  auto stages = stagesOf(first);
  llvm::append_range(stages, stagesOf(second));
  OpBuilder builder(second);
  stages.resize(2);
  // The convolution must run with the joined job, so its inputs must be computed before that.
  Operation *conv = first.getSource().getDefiningOp();
  if (isa_and_nonnull<ConvOp>(conv)) {
    conv->moveBefore(second);
  }
  auto joined =
      builder.create<SdpOp>(FusedLoc::get(first->getContext(), {first.getLoc(), second.getLoc()}),
                            second.getType(), first.getSource(), stages[0].second, stages[1].second,
                            /*table=*/Value(), stages[0].first, stages[1].first, /*offset=*/0,
                            /*scale=*/1, /*shift=*/0, /*toPdp=*/false, second.getCurveAttr());
  second.getResult().replaceAllUsesWith(joined.getResult());
  second.erase();
  first.erase();
  return joined;
}

/// Swaps the operands of a sum or product if the second one comes from a convolution, so that the
/// convolution becomes the source. If both do, the later convolution becomes the source, because
/// the earlier result is available before it.
void swapForConv(SdpOp sdp) {
  std::optional<StageAttr> stage = sdp.getX1();
  if (!stage || stage->getFrom() != OperandSource::Element) {
    return;
  }
  auto convOf = [&](Value value) -> Operation * {
    auto first = value.getDefiningOp<SdpOp>();
    bool isConv = canJoin(first, sdp) && first.getSource().getDefiningOp<ConvOp>();
    return isConv ? first.getOperation() : nullptr;
  };
  Operation *left = convOf(sdp.getSource());
  Operation *right = convOf(sdp.getX1Data());
  if (right && (!left || left->isBeforeInBlock(right))) {
    Value source = sdp.getSource();
    sdp.getSourceMutable().assign(sdp.getX1Data());
    sdp.getX1DataMutable().assign(source);
  }
}

struct FuseStages : impl::FuseStagesPassBase<FuseStages> {
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(getOperation().getBody().front())) {
      auto sdp = dyn_cast<SdpOp>(op);
      if (!sdp || precisionOf(sdp.getType()) != Precision::Fp16) {
        continue;
      }
      swapForConv(sdp);
      auto first = sdp.getSource().getDefiningOp<SdpOp>();
      if (canJoin(first, sdp)) {
        join(first, sdp);
      }
    }
  }
};

} // namespace
} // namespace convoy::nvdla
