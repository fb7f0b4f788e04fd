// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-fusion-fuse-groups. Winograd's algorithm supports only one group. It saves more
// multiplications than the zeros between a few groups add. The costs of the candidates decide;
// later passes see an ordinary convolution. conv_direct itself joins groups that are not whole
// blocks.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/Constant.h"

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEGROUPSPASS
#include "Fusion/Passes.h.inc"

namespace {

/// A convolution of joined groups must be this much faster, because its weights take more memory
/// and its operands may need reorders.
constexpr double kWorthJoining = 0.8;
/// Maximum number of groups that become one.
constexpr int64_t kMostGroups = 16;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns the shape of the weights if `factor` groups become one.
Shape joinedShape(graph::ConvOp conv, int64_t factor) {
  Shape shape(shapeOf(conv.getWeight()));
  shape[1] *= factor;
  return shape;
}

/// Returns the weights of joined groups. They are zero where a result channel and an input channel
/// are of different groups:
///
///     a a          a a 0 0
///     b b    ->    b b 0 0
///     c c          0 0 c c
///     d d          0 0 d d
Tensor joinedWeights(graph::ConvOp conv, const Tensor &weights, int64_t factor) {
  int64_t perGroup = weights.dim(0) / static_cast<int64_t>(conv.getGroups());
  int64_t inputs = weights.dim(1);
  int64_t row = weights.size() / weights.dim(0);
  Tensor joined(weights.type(), joinedShape(conv, factor));
  auto *target = joined.mutableData<float>();
  const auto *source = weights.data<float>();
  for (int64_t channel = 0; channel < weights.dim(0); ++channel) {
    int64_t place = channel / perGroup % factor;
    std::copy_n(source + channel * row, row,
                target + (channel * factor + place) * inputs * (row / inputs));
  }
  return joined;
}

graph::ConvOp createJoined(graph::ConvOp conv, ElementsAttr weights, int64_t factor) {
  OpBuilder builder(conv);
  auto constant = builder.create<graph::ConstantOp>(conv.getLoc(), weights.getType(), weights);
  return builder.create<graph::ConvOp>(conv.getLoc(), conv.getResult().getType(), conv.getInput(),
                                       constant, conv.getBias(), conv.getStrides(), conv.getPads(),
                                       conv.getDilations(), conv.getGroups() / factor);
}

/// Estimates the convolution with `factor` groups as one. Zeros stand for the weights, because
/// templates judge shapes.
KernelCycles joinedCycles(graph::ConvOp conv, int64_t factor) {
  auto type = RankedTensorType::get(joinedShape(conv, factor), Float32Type::get(conv.getContext()));
  auto zeros = cast<ElementsAttr>(DenseElementsAttr::get(type, 0.0F));
  graph::ConvOp joined = createJoined(conv, zeros, factor);
  // A kernel needs a reader of its result.
  OpBuilder builder(conv);
  auto reader = builder.create<graph::UnaryOp>(conv.getLoc(), joined.getResult().getType(),
                                               graph::UnaryKind::Relu, joined.getResult());
  KernelCycles cycles = cyclesOf({joined});
  reader.erase();
  Operation *constant = joined.getWeight().getDefiningOp();
  joined.erase();
  constant->erase();
  return cycles;
}

/// Returns how many groups to join, or 1.
int64_t bestFactor(graph::ConvOp conv) {
  auto groups = static_cast<int64_t>(conv.getGroups());
  int64_t best = 1;
  double least = cyclesOf({conv}).cycles * kWorthJoining;
  for (int64_t factor = 2; factor <= std::min(groups, kMostGroups); ++factor) {
    KernelCycles joined = groups % factor == 0 ? joinedCycles(conv, factor) : KernelCycles();
    if (joined.hasTemplate && joined.cycles < least) {
      best = factor;
      least = joined.cycles;
    }
  }
  return best;
}

struct FuseGroups : impl::FuseGroupsPassBase<FuseGroups> {
  using FuseGroupsPassBase::FuseGroupsPassBase;

  void runOnOperation() override {
    if (isStrictMath) {
      return; // An infinite input times a zero between the groups is NaN.
    }
    SmallVector<graph::ConvOp> convs;
    getOperation().walk([&](graph::ConvOp conv) {
      bool isGrouped = conv.getGroups() > 1 && shapeOf(conv.getWeight())[1] > 1 &&
                       !conv->getParentOfType<graph::KernelOp>();
      Type type = cast<TensorType>(conv.getWeight().getType()).getElementType();
      if (isGrouped && type.isF32() && conv.getWeight().getDefiningOp<graph::ConstantOp>()) {
        convs.push_back(conv);
      }
    });
    for (graph::ConvOp conv : convs) {
      int64_t factor = bestFactor(conv);
      if (factor == 1) {
        continue;
      }
      Tensor weights = *graph::constantValue(conv.getWeight());
      Tensor joined = joinedWeights(conv, weights, factor);
      conv.replaceAllUsesWith(
          createJoined(conv, graph::toElementsAttr(joined, &getContext()), factor).getResult());
      Operation *constant = conv.getWeight().getDefiningOp();
      conv.erase();
      if (constant->use_empty()) {
        constant->erase();
      }
      ++joinedConvolutions;
    }
  }
};

} // namespace
} // namespace convoy::fusion
