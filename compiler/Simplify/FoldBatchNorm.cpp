// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds a batch norm into the preceding convolution, because both are linear in
// each output channel. For quantised weights, the pass changes only the scales.

#include "Simplify/Passes.h"
#include <cmath>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "Simplify/Passes.h.inc"

namespace {

/// The four parameters of a batch norm if all are constants.
struct Parameters {
  Tensor scale, bias, mean, variance;
  double epsilon;

  double factor(int64_t channel) const {
    return scale.asDouble(channel) / std::sqrt(variance.asDouble(channel) + epsilon);
  }
};

std::optional<Parameters> parametersOf(BatchNormOp norm) {
  std::optional<Tensor> scale = constantValue(norm.getScale());
  std::optional<Tensor> bias = constantValue(norm.getBias());
  std::optional<Tensor> mean = constantValue(norm.getMean());
  std::optional<Tensor> variance = constantValue(norm.getVariance());
  if (!scale || !bias || !mean || !variance) {
    return std::nullopt;
  }
  return Parameters{*scale, *bias, *mean, *variance, norm.getEpsilon().convertToDouble()};
}

Tensor scaledWeight(const Tensor &weight, const Parameters &p) {
  Tensor result(weight.type(), weight.shape());
  int64_t channels = weight.dim(0);
  int64_t perChannel = channels ? weight.size() / channels : 0;
  dispatch(weight.type(), [&](auto zero) {
    using T = decltype(zero);
    const T *in = weight.data<T>();
    T *out = result.mutableData<T>();
    for (int64_t c = 0; c < channels; ++c) {
      double factor = p.factor(c);
      for (int64_t i = c * perChannel; i < (c + 1) * perChannel; ++i) {
        out[i] = static_cast<T>(static_cast<double>(in[i]) * factor);
      }
    }
  });
  return result;
}

Tensor foldedBias(const std::optional<Tensor> &bias, ElementType type, const Parameters &p) {
  Tensor result(type, {p.scale.size()});
  for (int64_t c = 0; c < result.size(); ++c) {
    double before = bias ? bias->asDouble(c) : 0;
    result.setDouble(c, (before - p.mean.asDouble(c)) * p.factor(c) + p.bias.asDouble(c));
  }
  return result;
}

/// Returns quantised weights whose scales are multiplied by the factors, one scale
/// per output channel; the integers do not change. Returns null if the weights are
/// not quantised or a factor is not positive.
Value rescaledWeight(OpBuilder &builder, Value weight, const Parameters &p) {
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

bool foldInto(BatchNormOp norm) {
  auto conv = norm.getInput().getDefiningOp<ConvOp>();
  std::optional<Parameters> parameters = parametersOf(norm);
  if (!conv || !parameters || !conv->hasOneUse()) {
    return false;
  }
  std::optional<Tensor> weight = constantValue(conv.getWeight());
  std::optional<Tensor> bias = constantValue(conv.getBias());
  if ((weight && !isFloat(weight->type())) || (conv.getBias() && !bias)) {
    return false;
  }
  OpBuilder builder(norm);
  Location loc = builder.getFusedLoc({conv.getLoc(), norm.getLoc()});
  Value newWeight =
      weight ? constant(builder, conv.getWeight().getLoc(), scaledWeight(*weight, *parameters))
             : rescaledWeight(builder, conv.getWeight(), *parameters);
  if (!newWeight) {
    return false;
  }
  ElementType type = fromMlir(cast<TensorType>(newWeight.getType()).getElementType());
  Value newBias = constant(builder, loc, foldedBias(bias, type, *parameters));
  auto folded = builder.create<ConvOp>(loc, norm.getType(), conv.getInput(), newWeight, newBias,
                                       conv.getStrides(), conv.getPads(), conv.getDilations(),
                                       conv.getGroups());
  norm.replaceAllUsesWith(folded.getResult());
  norm.erase();
  conv.erase();
  return true;
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
