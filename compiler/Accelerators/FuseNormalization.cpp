// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses the layers of an LRN with tables of bytes into one layer:
//
//     lookup -> conv with ones -> requantize -> lookup -> product with the input -> requantize

#include "Accelerators/Rewrites.h"
#include "ConvCore/LayerBuilder.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

bool isOf(Value value, ElementType type) {
  return fromMlir(getElementTypeOrSelf(value.getType())) == type;
}

/// Returns the size of the window of channels if 1x1 weights of ones sum the windows of an LRN,
/// otherwise 0.
int64_t windowOf(const Tensor &weight) {
  int64_t channels = weight.dim(0);
  if (weight.rank() != 4 || weight.dim(1) != channels || weight.size() != channels * channels) {
    return 0;
  }
  int64_t behind = 0;
  int64_t before = 0;
  for (int64_t c = 1; c < channels; ++c) {
    behind += weight.asInt(c) != 0;            // of the first channel
    before += weight.asInt(c * channels) != 0; // of the channels that read the first one
  }
  // The window has as many channels before its center as behind it, or one less.
  bool isLrn = behind == before || behind == before + 1;
  for (int64_t i = 0; i < weight.size() && isLrn; ++i) {
    int64_t distance = i % channels - i / channels;
    isLrn = weight.asInt(i) == (distance <= behind && distance >= -before ? 1 : 0);
  }
  return isLrn ? before + 1 + behind : 0;
}

/// Returns whether the op only sums: no padding, zero points, bias or requantization.
bool isPlainSum(convcore::ConvOp conv) {
  auto allAre = [](ArrayRef<int64_t> values, int64_t expected) {
    return llvm::all_of(values, [&](int64_t value) { return value == expected; });
  };
  return conv && !conv.getBias() && !conv.getRequant() && conv.getGroups() == 1 &&
         conv.getInputZeroPoint() == 0 && conv.getWeightZeroPoint() == 0 &&
         allAre(conv.getStrides(), 1) && allAre(conv.getPads(), 0) &&
         allAre(conv.getDilations(), 1);
}

/// Returns whether the op scales with one multiplier to unsigned bytes.
bool scalesToBytes(convcore::RequantizeOp op, convcore::Rounding rounding) {
  convcore::RequantAttr requant = op ? op.getRequant() : convcore::RequantAttr();
  return requant && requant.getType().isUnsignedInteger(8) &&
         requant.getMultipliers().size() == 1 && op.getInputZeroPoint() == 0 &&
         requant.getZeroPoint() == 0 && requant.getLow() == 0 && requant.getHigh() == 255 &&
         requant.getRounding() == rounding;
}

/// Returns the table by magnitude, or nothing if it depends on the sign.
std::optional<Tensor> byMagnitude(const std::optional<Tensor> &table) {
  if (!table || table->type() != ElementType::U8) {
    return std::nullopt;
  }
  Tensor result(ElementType::U8, table->shape());
  std::fill_n(result.mutableData<uint8_t>(), result.size(), uint8_t(255)); // not a magnitude
  for (int64_t x = -128; x < 128; ++x) {
    bool isSame = x <= 0 || table->asInt(x + 128) == table->asInt(128 - x);
    if (!isSame) {
      return std::nullopt;
    }
    result.setInt(std::abs(x), table->asInt(x + 128));
  }
  return result;
}

/// The layers of a normalization, from its result to its input.
struct Layers {
  convcore::EltwiseOp product;
  convcore::LookupOp factors;
  convcore::RequantizeOp index;
  convcore::ConvOp sum;
  convcore::LookupOp squares;
};

std::optional<Layers> layersOf(convcore::RequantizeOp op) {
  Layers found;
  found.product = onlyProducer<convcore::EltwiseOp>(op.getInput());
  if (!found.product || found.product.getKind() != convcore::EltwiseKind::Mul ||
      found.product.getRequant() || found.product.getBias() != 0 ||
      found.product.getLhsZeroPoint() != 0 || found.product.getRhsZeroPoint() != 0 ||
      found.product.getLhsMultiplier() != 1 || found.product.getRhsMultiplier() != 1) {
    return std::nullopt;
  }
  found.factors = onlyProducer<convcore::LookupOp>(found.product.getRhs());
  found.index = found.factors ? onlyProducer<convcore::RequantizeOp>(found.factors.getInput())
                              : convcore::RequantizeOp();
  bool hasIndex = scalesToBytes(found.index, op.getRequant().getRounding());
  found.sum =
      hasIndex ? onlyProducer<convcore::ConvOp>(found.index.getInput()) : convcore::ConvOp();
  found.squares = isPlainSum(found.sum) ? onlyProducer<convcore::LookupOp>(found.sum.getInput())
                                        : convcore::LookupOp();
  bool isWhole = found.squares && found.squares.getInput() == found.product.getLhs() &&
                 isOf(found.product.getLhs(), ElementType::I8);
  return isWhole ? std::optional(found) : std::nullopt;
}

} // namespace

bool fuseNormalization(convcore::RequantizeOp op, const Accelerator &device) {
  std::optional<Layers> layers = op.getInputZeroPoint() == 0 ? layersOf(op) : std::nullopt;
  if (!layers) {
    return false;
  }
  std::optional<Tensor> weight = graph::constantValue(layers->sum.getWeight());
  std::optional<Tensor> factors = graph::constantValue(layers->factors.getTable());
  std::optional<Tensor> squares = byMagnitude(graph::constantValue(layers->squares.getTable()));
  int64_t size = weight ? windowOf(*weight) : 0;
  if (!squares || !factors || factors->type() != ElementType::U8 || size == 0) {
    return false;
  }
  convcore::RequantAttr scale = layers->index.getRequant();
  bool isInRange = scale.getMultipliers()[0] >= 0 && scale.getMultipliers()[0] <= 255 &&
                   scale.getShifts()[0] >= 1 && scale.getShifts()[0] <= 31 &&
                   op.getRequant().getMultipliers().size() == 1; // [byte_lrn.2]
  if (!isInRange) {
    return false;
  }
  OpBuilder builder(op);
  convcore::LayerBuilder b(builder, op);
  Value table = b.constant(*squares);
  Value fused =
      b.emit<convcore::ByteLrnOp>(layers->product.getLhs(), table, layers->factors.getTable(), size,
                                  scale.getMultipliers()[0], scale.getShifts()[0], op.getRequant());
  if (whyNot(device, fused.getDefiningOp())) {
    fused.getDefiningOp()->erase();
    table.getDefiningOp()->erase();
    return false;
  }
  convcore::joinNodes(fused.getDefiningOp(), {op, layers->product, layers->factors, layers->index,
                                              layers->sum, layers->squares});
  op.getResult().replaceAllUsesWith(fused);
  return true;
}

} // namespace convoy::accelerators
