// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds a batch norm into the preceding convolution, because both are linear in
// each output channel. For quantized weights, the pass changes only the scales.

#include "Simplify/NormParameters.h"
#include "Simplify/Passes.h"
#include <cmath>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Returns the four parameters of a batch norm if all are constants.
std::optional<NormParameters> parametersOf(BatchNormOp norm) {
  std::optional<Tensor> scale = constantValue(norm.getScale());
  std::optional<Tensor> bias = constantValue(norm.getBias());
  std::optional<Tensor> mean = constantValue(norm.getMean());
  std::optional<Tensor> variance = constantValue(norm.getVariance());
  if (!scale || !bias || !mean || !variance) {
    return std::nullopt;
  }
  return NormParameters{*scale, *bias, *mean, *variance, norm.getEpsilon().convertToDouble()};
}

Tensor scaledWeight(ConvOp conv, const Tensor &weight, const NormParameters &p) {
  return scaledWeight(weight, /*axis=*/0, p);
}

/// The weights of a transposed convolution are I x (O / groups) x spatial....
Tensor scaledWeight(ConvTransposeOp conv, const Tensor &weight, const NormParameters &p) {
  return scaledWeight(weight, /*axis=*/1, p, static_cast<int64_t>(conv.getGroups()));
}

/// Returns quantized weights whose scales are multiplied by the factors, one scale
/// per output channel; the integers do not change. Returns null if the weights are
/// not quantized or a factor is not positive.
Value rescaledWeight(OpBuilder &builder, Value weight, const NormParameters &p) {
  auto source = weight.getDefiningOp<DequantizeLinearOp>();
  std::optional<Tensor> scale = source ? constantValue(source.getScale()) : std::nullopt;
  std::optional<Tensor> zero = source ? constantValue(source.getZeroPoint()) : std::nullopt;
  int64_t channels = p.scale.size();
  bool isKnown = scale && constantValue(source.getInput()) && source.getBlockSize() == 0 &&
                 (zero || !source.getZeroPoint()) &&
                 (scale->size() == 1 || (source.getAxis() == 0 && scale->size() == channels));
  if (!isKnown) {
    return {};
  }
  Tensor scales(scale->type(), {channels});
  Tensor zeros(zero ? zero->type() : ElementType::I8, {channels});
  for (int64_t c = 0; c < channels; ++c) {
    double product = scale->asDouble(scale->size() == 1 ? 0 : c) * p.factor(c);
    if (!(p.factor(c) > 0) || !std::isfinite(product)) {
      return {};
    }
    scales.setDouble(c, product);
    zeros.setInt(c, zero ? zero->asInt(zero->size() == 1 ? 0 : c) : 0);
  }
  Location loc = source.getLoc();
  return builder.create<DequantizeLinearOp>(
      loc, source.getType(), source.getInput(), constant(builder, loc, scales),
      zero ? constant(builder, loc, zeros) : Value(), source.getTo(), int64_t(0), int64_t(0));
}

/// Replaces a convolution and the batch norm after it by a convolution.
template <typename ConvT>
bool foldInto(ConvT conv, BatchNormOp norm) {
  std::optional<NormParameters> parameters = parametersOf(norm);
  if (!parameters || !conv->hasOneUse()) {
    return false;
  }
  std::optional<Tensor> weight = constantValue(conv.getWeight());
  std::optional<Tensor> bias = constantValue(conv.getBias());
  if ((weight && !isFloat(weight->type())) || (conv.getBias() && !bias)) {
    return false;
  }
  OpBuilder builder(norm);
  Location loc = builder.getFusedLoc({conv.getLoc(), norm.getLoc()});
  Value newWeight;
  if (weight) {
    newWeight =
        constant(builder, conv.getWeight().getLoc(), scaledWeight(conv, *weight, *parameters));
  } else if (std::is_same_v<ConvT, ConvOp>) {
    newWeight = rescaledWeight(builder, conv.getWeight(), *parameters);
  }
  if (!newWeight) {
    return false;
  }
  ElementType type = fromMlir(cast<TensorType>(newWeight.getType()).getElementType());
  Tensor sums = foldedBias(bias, type, {parameters->scale.size()}, *parameters);
  Value newBias = constant(builder, loc, sums);
  Operation *folded = builder.clone(*conv);
  folded->setLoc(loc);
  folded->setOperands({conv.getInput(), newWeight, newBias});
  folded->getResult(0).setType(norm.getType());
  norm.replaceAllUsesWith(folded->getResult(0));
  norm.erase();
  conv.erase();
  return true;
}

bool foldInto(BatchNormOp norm) {
  if (auto conv = norm.getInput().getDefiningOp<ConvOp>()) {
    return foldInto(conv, norm);
  }
  auto transposed = norm.getInput().getDefiningOp<ConvTransposeOp>();
  return transposed && foldInto(transposed, norm);
}

struct FoldBatchNorm : impl::FoldBatchNormPassBase<FoldBatchNorm> {
  void runOnOperation() override {
    SmallVector<BatchNormOp> norms;
    getOperation().walk([&](BatchNormOp norm) { norms.push_back(norm); });
    for (BatchNormOp norm : norms) {
      foldedNorms += foldInto(norm);
    }
  }
};

} // namespace
} // namespace convoy::simplify
