// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-fold-roundings. Uses constants to prove two facts about a requantize op:
// no product is a tie, so all rounding modes give the same result; and all results fit in 32 bits
// before they are clamped. Both facts shorten the generated code and change no bit of the result.
//
// With shift s, a product x * m is a tie only if 2^(s - 1) is the largest power of two that divides
// it. Then 2^(s - 1 - t) divides x, where 2^t is the largest power of two that divides m. The
// magnitude of x is then at least 2^(s - 1 - t), which most accumulators cannot reach.

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Kernels/Attributes.h"
#include "Kernels/Kernel.h"
#include "Layout/Passes.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_FOLDROUNDINGSPASS
#include "Layout/Passes.h.inc"

namespace {

/// Results below this bound fit in i32 after a zero point of up to 16 bits is added.
constexpr double kMostNarrow = 0x1p31 - 0x1p17;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the constant behind a value inside a kernel. The constant is in the body or an operand
/// of the kernel.
std::optional<Tensor> constantOf(Value value, graph::KernelOp kernel) {
  if (auto argument = dyn_cast_or_null<BlockArgument>(value)) {
    value = kernel.getInputs()[argument.getArgNumber()];
  }
  return value ? graph::constantValue(value) : std::nullopt;
}

/// Returns a bound of the magnitude of accumulators, which wrap in i32 or i64.
double mostSum(Value sums) {
  return std::ldexp(1, static_cast<int>(typeOf(sums).getElementTypeBitWidth()) - 1);
}

/// Returns the largest magnitude of an element minus its zero point.
double mostOf(Value value, int64_t zeroPoint) {
  ElementType type = fromMlir(typeOf(value).getElementType());
  if (bitWidth(type) > 16) {
    return mostSum(value);
  }
  int64_t values = int64_t(1) << bitWidth(type);
  int64_t lowest = isSignedInteger(type) ? -values / 2 : 0;
  return static_cast<double>(std::max(zeroPoint - lowest, lowest + values - 1 - zeroPoint));
}

/// Returns the sum of |weight - zeroPoint| per output channel. `zeroPoints` has one more zero point
/// per channel or is null. Weights are O x ..., or I x O if transposed.
std::vector<double> magnitudes(const Tensor &weight, int64_t zeroPoint, const Tensor *zeroPoints,
                               bool isTransposed) {
  int64_t outputs = weight.shape()[isTransposed ? 1 : 0];
  std::vector<double> sums(outputs);
  int64_t inner = std::max<int64_t>(weight.size() / std::max<int64_t>(outputs, 1), 1);
  bool isSigned = weight.type() == ElementType::I8;
  const auto *bytes = static_cast<const uint8_t *>(weight.raw());
  for (int64_t i = 0; i < weight.size(); ++i) {
    int64_t value = isSigned ? static_cast<int8_t>(bytes[i]) : bytes[i];
    int64_t channel = isTransposed ? i % outputs : i / inner;
    int64_t zero = zeroPoint + (zeroPoints ? zeroPoints->asInt(channel) : 0);
    sums[channel] += static_cast<double>(std::abs(value - zero));
  }
  return sums;
}

/// Returns bounds of a layer's accumulators per output channel, or an empty vector if its weights
/// or biases are not constant.
std::vector<double> layerBounds(Value input, Value weight, ValueRange vectors,
                                int64_t inputZeroPoint, int64_t weightZeroPoint, bool isMatrix,
                                graph::KernelOp kernel) {
  Value bias = vectors.empty() ? Value() : vectors[0];
  std::optional<Tensor> zeros =
      vectors.size() > 1 ? constantOf(vectors[1], kernel) : std::optional<Tensor>();
  std::optional<Tensor> weights = constantOf(weight, kernel);
  std::optional<Tensor> biases = bias ? constantOf(bias, kernel) : std::nullopt;
  bool isKnown = weights && bitWidth(weights->type()) == 8 && (!bias || biases) &&
                 (vectors.size() < 2 || zeros) && (!isMatrix || weights->shape().size() == 2);
  if (!isKnown) {
    return {};
  }
  std::vector<double> bounds =
      magnitudes(*weights, weightZeroPoint, zeros ? &*zeros : nullptr, isMatrix);
  double most = mostOf(input, inputZeroPoint);
  for (size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] *= most;
    bounds[i] += biases ? std::abs(static_cast<double>(biases->asInt(static_cast<int64_t>(i)))) : 0;
  }
  return bounds;
}

/// Returns bounds of the requantized values: one bound, or one per channel.
std::vector<double> boundsOf(graph::RequantizeOp op, graph::KernelOp kernel) {
  Operation *producer = op.getInput().getDefiningOp();
  std::vector<double> bounds;
  if (auto conv = dyn_cast_or_null<graph::IntegerConvOp>(producer)) {
    bounds = layerBounds(conv.getInput(), conv.getWeight(), conv.getChannelVectors(),
                         static_cast<int64_t>(conv.getInputZeroPoint()),
                         static_cast<int64_t>(conv.getWeightZeroPoint()), false, kernel);
  } else if (auto product = dyn_cast_or_null<graph::IntegerMatMulOp>(producer)) {
    bounds = layerBounds(product.getLhs(), product.getRhs(), product.getChannelVectors(),
                         static_cast<int64_t>(product.getLhsZeroPoint()),
                         static_cast<int64_t>(product.getRhsZeroPoint()), true, kernel);
  } else if (auto pool = dyn_cast_or_null<graph::IntegerSumPoolOp>(producer)) {
    double taps = 1;
    for (int64_t size : pool.getKernel()) {
      taps *= static_cast<double>(size);
    }
    bounds = {taps * mostOf(pool.getInput(), static_cast<int64_t>(pool.getInputZeroPoint()))};
  }
  if (bounds.empty() || op.getAxis() != 1) {
    double one = bounds.empty()
                     ? mostOf(op.getInput(), static_cast<int64_t>(op.getInputZeroPoint()))
                     : *llvm::max_element(bounds);
    bounds = {one};
  }
  if (typeOf(op.getInput()).getElementTypeBitWidth() > 16) {
    for (double &bound : bounds) {
      bound = std::min(bound, mostSum(op.getInput()));
    }
  }
  return bounds;
}

/// The range of shifts for which rounding depends only on the upper half of the 64-bit product and
/// leaves room for an 8-bit zero point.
constexpr int64_t kLeastUpper = 33;
constexpr int64_t kMostUpper = 53;

struct Facts {
  bool hasTies = false;
  bool isNarrow = true;
  bool isUpper = true;

  void add(double bound, int64_t multiplier, int64_t shift) {
    double most = std::ldexp(bound * static_cast<double>(multiplier), -static_cast<int>(shift));
    isNarrow &= most < kMostNarrow;
    isUpper &= shift >= kLeastUpper && shift <= kMostUpper;
    if (multiplier != 0) {
      int missing =
          static_cast<int>(shift) - 1 - llvm::countr_zero(static_cast<uint64_t>(multiplier));
      hasTies |= missing >= 0 && std::ldexp(1, missing) <= bound;
    }
  }
};

std::optional<Facts> factsOf(graph::RequantizeOp op, graph::KernelOp kernel) {
  std::optional<Tensor> multipliers = constantOf(op.getMultiplier(), kernel);
  std::optional<Tensor> shifts = constantOf(op.getShift(), kernel);
  if (!multipliers || !shifts || multipliers->size() == 0) {
    return std::nullopt;
  }
  std::vector<double> bounds = boundsOf(op, kernel);
  bool isPerChannel = bounds.size() > 1;
  auto channels = static_cast<int64_t>(bounds.size());
  bool fits = !isPerChannel || multipliers->size() == 1 || multipliers->size() == channels;
  Facts facts;
  for (int64_t i = 0; fits && i < std::max(multipliers->size(), channels); ++i) {
    int64_t entry = multipliers->size() == 1 ? 0 : i;
    facts.add(bounds[isPerChannel ? i : 0], multipliers->asInt(entry), shifts->asInt(entry));
  }
  return fits ? std::optional(facts) : std::nullopt;
}

/// Returns whether a weighted sum of two 8-bit values can be a tie. Tries all 65536 pairs.
bool hasTies(graph::IntegerAddOp op) {
  auto isByte = [](Value value) { return typeOf(value).getElementTypeBitWidth() == 8; };
  if (!isByte(op.getLhs()) || !isByte(op.getRhs())) {
    return true;
  }
  auto lowest = [](Value value, int64_t zeroPoint) {
    bool isSigned = isSignedInteger(fromMlir(typeOf(value).getElementType()));
    return (isSigned ? -128 : 0) - zeroPoint;
  };
  uint64_t mask = (uint64_t(1) << op.getShift()) - 1;
  uint64_t half = uint64_t(1) << (op.getShift() - 1);
  int64_t left = lowest(op.getLhs(), static_cast<int64_t>(op.getLhsZeroPoint()));
  int64_t right = lowest(op.getRhs(), static_cast<int64_t>(op.getRhsZeroPoint()));
  for (int64_t i = 0; i < 256; ++i) {
    uint64_t first = static_cast<uint64_t>(left + i) * op.getLhsMultiplier();
    for (int64_t j = 0; j < 256; ++j) {
      uint64_t sum = first + static_cast<uint64_t>(right + j) * op.getRhsMultiplier();
      if ((sum & mask) == half) {
        return true;
      }
    }
  }
  return false;
}

struct FoldRoundings : impl::FoldRoundingsPassBase<FoldRoundings> {
  void runOnOperation() override {
    getOperation().walk([&](graph::KernelOp kernel) {
      if (isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr())) {
        return;
      }
      for (auto op : kernel.getBody().getOps<graph::RequantizeOp>()) {
        if (std::optional<Facts> facts = factsOf(op, kernel)) {
          fold(op, *facts);
        }
      }
      for (auto op : kernel.getBody().getOps<graph::IntegerAddOp>()) {
        if (op.getRounding() != graph::ShiftRounding::HalfUp && !hasTies(op)) {
          op.setRounding(graph::ShiftRounding::HalfUp);
          ++folded;
        }
      }
    });
  }

  void fold(graph::RequantizeOp op, const Facts &facts) {
    if (!facts.hasTies && op.getRounding() != graph::ShiftRounding::HalfUp) {
      op.setRounding(graph::ShiftRounding::HalfUp);
      ++folded;
    }
    if (!facts.isNarrow) {
      return;
    }
    op->setAttr(kernels::kNarrowAttr, UnitAttr::get(&getContext()));
    bool isByte = typeOf(op.getResult()).getElementTypeBitWidth() == 8;
    if (facts.isUpper && isByte && op.getRounding() == graph::ShiftRounding::HalfUp) {
      op->setAttr(kernels::kUpperAttr, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
} // namespace convoy::layout
