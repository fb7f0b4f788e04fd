// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which layers the chip supports. Requantization is a shift. Only some instructions also
// have a multiplier, of 8 bits.

#include "Accelerators/BM1880/Layers.h"
#include "Accelerators/BM1880/Timing.h"
#include "Graph/Constant.h"
#include "Graph/NodeName.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::bm1880 {

using accelerators::Refusal;

namespace {

constexpr int64_t kMostMultiplier = 255;
constexpr int64_t kMostShift = 31;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

Refusal no(const llvm::Twine &reason, const llvm::Twine &remedy = "") {
  return Refusal{reason.str(), remedy.str(), std::nullopt};
}

/// Divides both multipliers by two while both are even, down to a shift of 0.
void reduce(int64_t &multiplier, int64_t &other, int64_t &shift) {
  while (shift > 0 && multiplier % 2 == 0 && other % 2 == 0 && (multiplier != 0 || other != 0)) {
    multiplier /= 2;
    other /= 2;
    --shift;
  }
}

std::optional<Refusal> refuseRequant(convcore::RequantAttr requant, bool isShift) {
  if (!requant) {
    return no("the chip does not write 32-bit sums; the result needs a requantization");
  }
  std::optional<Rescale> rescale = rescaleOf(requant);
  if (requant.getZeroPoint() != 0 || !requant.getType().isSignlessInteger(8)) {
    return no("the chip supports only int8 results without a zero point",
              "let the compiler choose the scales (scales=shifts)");
  }
  if (!rescale) {
    return no("the chip supports only one shift for all channels, round half up and relu",
              "let the compiler choose the scales (scales=shifts)");
  }
  if (isShift && rescale->multiplier != 1) {
    return no(llvm::formatv(
                  "the requantization needs a multiplier of {0}; the chip supports only a shift",
                  rescale->multiplier)
                  .str(),
              "let the compiler choose the scales (scales=shifts)");
  }
  if (rescale->multiplier > kMostMultiplier) {
    return no(llvm::formatv("the multiplier is {0}; the chip supports at most {1}",
                            rescale->multiplier, kMostMultiplier)
                  .str());
  }
  return std::nullopt;
}

std::optional<Refusal> refuseConv(convcore::ConvOp op) {
  if (std::optional<Refusal> refusal = refuseRequant(op.getRequantAttr(), /*isShift=*/true)) {
    return refusal;
  }
  std::optional<Tensor> weight = graph::constantValue(op.getWeight());
  std::optional<Tensor> bias = op.getBias() ? graph::constantValue(op.getBias()) : std::nullopt;
  if (!weight || weight->type() != ElementType::I8 || (op.getBias() && !bias)) {
    return no("the chip supports only constant int8 weights and constant biases");
  }
  for (int64_t i = 0; bias && i < bias->size(); ++i) {
    if (!llvm::isInt<16>(bias->asInt(i))) {
      return no(
          llvm::formatv("bias {0} of channel {1} has more than 16 bits", bias->asInt(i), i).str());
    }
  }
  ArrayRef<int64_t> pads = op.getPads();
  for (size_t i = 0; i < 2; ++i) {
    // Zeros before or behind the kernel equalize the pads of both sides.
    if (std::abs(pads[i] - pads[i + 2]) % op.getDilations()[i] != 0) {
      return no("the pads of two sides do not differ by a multiple of the dilation");
    }
  }
  return std::nullopt;
}

std::optional<Refusal> refusePool(convcore::PoolOp op) {
  if (op.getKind() == convcore::PoolKind::Min) {
    return no("the chip does not support min pooling");
  }
  return op.getKind() == convcore::PoolKind::Max
             ? std::nullopt
             : refuseRequant(op.getRequantAttr(), /*isShift=*/false);
}

std::optional<Refusal> refuseEltwise(convcore::EltwiseOp op) {
  bool isKnown = op.getKind() == convcore::EltwiseKind::Add ||
                 op.getKind() == convcore::EltwiseKind::Sub ||
                 op.getKind() == convcore::EltwiseKind::Mul;
  if (!isKnown || op.getLhs().getType() != op.getRhs().getType()) {
    return no("the chip supports eltwise only as add, sub and mul of two tensors of the same type");
  }
  if (op.getLhsZeroPoint() != 0 || op.getRhsZeroPoint() != 0 || op.getBias() != 0) {
    return no("the chip supports no zero points",
              "let the compiler choose the scales (scales=shifts)");
  }
  if (std::optional<Refusal> refusal = refuseRequant(op.getRequantAttr(), /*isShift=*/false)) {
    return refusal;
  }
  std::optional<EltwiseTerms> terms = termsOf(op);
  if (!terms) {
    return no("the multipliers of the two operands are not both in [0, 255]");
  }
  return std::nullopt;
}

std::optional<Refusal> refuseLrn(convcore::ByteLrnOp op) {
  if (std::optional<Refusal> refusal = refuseRequant(op.getRequant(), /*isShift=*/false)) {
    return refusal;
  }
  // The emitted multiplier is not in lowest terms.
  if (op.getRequant().getShifts()[0] > kMostShift || op.getRequant().getMultipliers()[0] > 255 ||
      !graph::constantValue(op.getSquares()) || !graph::constantValue(op.getFactors())) {
    return no(
        "the chip supports lrn only with constant tables, a multiplier in [0, 255] and shifts "
        "of at most 31 bits");
  }
  return std::nullopt;
}

std::optional<Refusal> refuseSlice(convcore::SliceOp op) {
  std::optional<Shape4> size = shape4(op.getResult());
  if (!size || laneBytes(1, kLanes, (*size)[2] * (*size)[3], /*isAligned=*/true) > kLaneBytes) {
    return no("the chip supports slice only with planes of at most 65536 bytes and up to four "
              "dimensions");
  }
  return std::nullopt;
}

} // namespace

std::optional<Shape4> shape4(Value value) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  Shape4 result = {1, 1, 1, 1};
  if (shape.size() > 4) {
    return std::nullopt;
  }
  // The elements of a vector or matrix row are the channels of one pixel.
  std::copy(shape.begin(), shape.end(), result.begin());
  if (shape.size() == 1) {
    result = {1, shape[0], 1, 1};
  }
  return result;
}

int64_t bytesOf(Value value) { return typeOf(value).getNumElements(); }

Value storageOf(Value value) {
  while (auto reshape = value.getDefiningOp<convcore::ReshapeOp>()) {
    value = reshape.getInput();
  }
  return value;
}

std::string nameOf(Operation *op) {
  StringRef name = graph::firstName(op->getLoc()); // the layer precedes the ops fused into it
  return name.empty() ? op->getName().stripDialect().str() : name.str();
}

std::optional<Rescale> rescaleOf(convcore::RequantAttr requant) {
  bool isPlain = requant && requant.getMultipliers().size() == 1 && requant.getHigh() == 127 &&
                 (requant.getLow() == 0 || requant.getLow() == -128) &&
                 requant.getRounding() == convcore::Rounding::HalfUp;
  if (!isPlain) {
    return std::nullopt;
  }
  Rescale rescale{requant.getMultipliers()[0], requant.getShifts()[0], requant.getLow() == 0};
  int64_t none = 0;
  reduce(rescale.multiplier, none, rescale.shift);
  return rescale.shift <= kMostShift ? std::optional(rescale) : std::nullopt;
}

std::optional<EltwiseTerms> termsOf(convcore::EltwiseOp op) {
  convcore::RequantAttr requant = op.getRequantAttr();
  std::optional<Rescale> rescale = rescaleOf(requant);
  bool isMul = op.getKind() == convcore::EltwiseKind::Mul;
  auto left = static_cast<int64_t>(op.getLhsMultiplier());
  auto right = static_cast<int64_t>(op.getRhsMultiplier());
  if (!rescale || std::abs(left) > kMostMultiplier * 256 ||
      std::abs(right) > kMostMultiplier * 256) {
    return std::nullopt;
  }
  EltwiseTerms terms{left * rescale->multiplier, right * rescale->multiplier, *rescale};
  if (isMul) {
    terms.lhs *= right;
    terms.rhs = 0;
  } else if (op.getKind() == convcore::EltwiseKind::Sub) {
    terms.rhs = -terms.rhs;
  }
  reduce(terms.lhs, terms.rhs, terms.rescale.shift);
  terms.rhs = isMul ? 1 : terms.rhs;
  bool isInRange = terms.lhs >= 0 && terms.rhs >= 0 && terms.lhs <= kMostMultiplier &&
                   terms.rhs <= kMostMultiplier;
  return isInRange ? std::optional(terms) : std::nullopt;
}

uint8_t *WeightMemory::grow(int64_t bytes, int64_t &address) {
  address = count;
  count += bytes;
  memory.resize(keepsBytes ? static_cast<size_t>(count) : 0);
  return keepsBytes ? memory.data() + address : nullptr;
}

int64_t WeightMemory::addBytes(const Tensor &tensor) {
  int64_t address = 0;
  if (uint8_t *to = grow(tensor.bytes(), address)) {
    std::copy_n(tensor.data<uint8_t>(), tensor.bytes(), to);
  }
  return address;
}

int64_t WeightMemory::addTable(const Tensor &table) {
  int64_t address = 0;
  uint8_t *to = grow(kLanes * table.bytes(), address);
  for (int64_t lane = 0; to && lane < kLanes; ++lane) {
    std::copy_n(table.data<uint8_t>(), table.bytes(), to + lane * table.bytes());
  }
  return address;
}

int64_t WeightMemory::addKernel(const Tensor &kernel) {
  int64_t address = 0;
  uint8_t *to = grow(kernel.bytes(), address);
  int64_t inputs = kernel.dim(1);
  int64_t taps = kernel.dim(2) * kernel.dim(3);
  const auto *from = kernel.data<uint8_t>();
  for (int64_t i = 0; to && i < kernel.size(); ++i) {
    int64_t tap = i % taps;
    int64_t input = i / taps % inputs;
    to[(i / taps / inputs * taps + tap) * inputs + input] = from[i];
  }
  return address;
}

int64_t WeightMemory::addBias(const std::optional<Tensor> &bias) {
  if (!bias) {
    return kNoAddress;
  }
  int64_t address = 0;
  uint8_t *to = grow(2 * bias->size(), address);
  for (int64_t i = 0; to && i < bias->size(); ++i) {
    to[i] = static_cast<uint8_t>(bias->asInt(i));
    to[bias->size() + i] = static_cast<uint8_t>(bias->asInt(i) >> 8);
  }
  return address;
}

convcore::RequantizeOp foldedRescale(Value input) {
  auto rescale = input.getDefiningOp<convcore::RequantizeOp>();
  bool isFolded = rescale && rescale->hasOneUse() &&
                  isa<convcore::ConcatOp>(*rescale->getUsers().begin()) &&
                  rescale.getRequant().getLow() == -128;
  return isFolded ? rescale : nullptr;
}

std::optional<Refusal> refuseLayer(Operation *op) {
  bool hasFour = llvm::all_of(op->getOperands(), [](Value v) { return shape4(v).has_value(); }) &&
                 shape4(op->getResult(0));
  if (!isa<convcore::ReshapeOp>(op) && !hasFour) {
    return no("the chip supports tensors of up to four dimensions");
  }
  // Kernels read activations and weights from different address spaces.
  bool isLayerOfWeights = isa<convcore::ConvOp, convcore::ByteLrnOp>(op);
  for (Value operand : isLayerOfWeights ? op->getOperands().take_front() : op->getOperands()) {
    if (storageOf(operand).getDefiningOp<graph::ConstantOp>()) {
      return no("an operand is constant; the chip supports constants only as weights");
    }
    if (!typeOf(operand).getElementType().isSignlessInteger(8)) {
      return no("an operand is not int8");
    }
  }
  return llvm::TypeSwitch<Operation *, std::optional<Refusal>>(op)
      .Case([](convcore::ConvOp conv) { return refuseConv(conv); })
      .Case([](convcore::PoolOp pool) { return refusePool(pool); })
      .Case([](convcore::EltwiseOp eltwise) { return refuseEltwise(eltwise); })
      .Case([](convcore::ByteLrnOp lrn) { return refuseLrn(lrn); })
      .Case([](convcore::SliceOp slice) { return refuseSlice(slice); })
      .Case([](convcore::RequantizeOp rescale) {
        return refuseRequant(rescale.getRequant(), /*isShift=*/false);
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace convoy::bm1880
