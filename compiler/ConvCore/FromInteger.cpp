// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers integer graph ops to convcore ops. An i32 sum and the requantization behind it remain
// separate ops; FuseLayers.cpp fuses them if the device supports the result.

#include "ConvCore/FromInteger.h"
#include "Graph/TableNormalization.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace convoy::convcore {
namespace {

/// Returns whether an operand or result has 64 bits, as sums of layers with 16-bit inputs may have.
bool hasWideSums(Operation *op) {
  auto isWide = [](Type type) { return cast<TensorType>(type).getElementTypeBitWidth() == 64; };
  return llvm::any_of(op->getOperandTypes(), isWide) || llvm::any_of(op->getResultTypes(), isWide);
}

constexpr llvm::StringLiteral kChannelZeroPoints =
    "its weights have a zero point per output channel; convcore supports one for all channels";

std::string lowerConv(graph::IntegerConvOp op, LayerBuilder &b) {
  std::optional<Tensor> weight = b.constantOf(op.getWeight());
  if (!weight || (op.getBias() && !b.constantOf(op.getBias()))) {
    return "its weights are not constant";
  }
  if (op.getChannelZeroPoints()) {
    return kChannelZeroPoints.str();
  }
  if (weight->rank() != 4) {
    return "it has " + std::to_string(weight->rank() - 2) +
           " spatial dimensions; convcore supports 2";
  }
  if (llvm::any_of(op.getPads(), [](int64_t pad) { return pad < 0; })) {
    return "it has negative padding";
  }
  Value bias = op.getBias() ? b.operand(op.getBias()) : Value();
  return b.set(op.getResult(),
               b.emit<ConvOp>(b.operand(op.getInput()), b.operand(op.getWeight()), bias,
                              op.getStrides(), op.getPads(), op.getDilations(), op.getGroups(),
                              op.getInputZeroPoint(), op.getWeightZeroPoint(), ActAttr(),
                              RequantAttr()));
}

/// Lowers a matrix product to a 1x1 convolution, as for floats: M x K becomes M x K x 1 x 1.
std::string lowerMatMul(graph::IntegerMatMulOp op, LayerBuilder &b) {
  std::optional<Tensor> matrix = b.constantOf(op.getRhs());
  if (!matrix || matrix->rank() != 2 || (op.getBias() && !b.constantOf(op.getBias()))) {
    return "its right operand is not a constant matrix";
  }
  if (op.getChannelZeroPoints()) {
    return kChannelZeroPoints.str();
  }
  int64_t inputs = matrix->dim(0);
  int64_t rows = *elementCount(b.shapeOf(op.getLhs())) / std::max<int64_t>(inputs, 1);
  Value pixels = b.reshape(b.operand(op.getLhs()), {rows, inputs, 1, 1});
  Tensor weight = transposed(*matrix).reshaped({matrix->dim(1), inputs, 1, 1});
  Value bias = op.getBias() ? b.operand(op.getBias()) : Value();
  int64_t ones[] = {1, 1};
  int64_t pads[] = {0, 0, 0, 0};
  Value weightValue = b.constant(weight);
  Value sums = b.emit<ConvOp>(pixels, weightValue, bias, ArrayRef<int64_t>(ones),
                              ArrayRef<int64_t>(pads), ArrayRef<int64_t>(ones), /*groups=*/1,
                              op.getLhsZeroPoint(), op.getRhsZeroPoint(), ActAttr(), RequantAttr());
  return b.set(op.getResult(), b.reshape(sums, b.shapeOf(op.getResult())));
}

std::string lowerSumPool(graph::IntegerSumPoolOp op, LayerBuilder &b) {
  if (b.shapeOf(op.getInput()).size() != 4) {
    return "its input is not N x C x H x W";
  }
  bool isDilated = llvm::any_of(op.getDilations(), [](int64_t d) { return d != 1; });
  if (isDilated || op.getCeilMode()) {
    return "its window is dilated, or it uses ceil_mode";
  }
  return b.set(op.getResult(), b.pool(PoolKind::Average, b.operand(op.getInput()), op.getKernel(),
                                      op.getStrides(), op.getPads(), /*countIncludePad=*/true,
                                      static_cast<int64_t>(op.getInputZeroPoint())));
}

std::string lowerRequantize(graph::RequantizeOp op, LayerBuilder &b) {
  std::optional<Tensor> multiplier = b.constantOf(op.getMultiplier());
  std::optional<Tensor> shift = b.constantOf(op.getShift());
  if (!multiplier || !shift) {
    return "its multipliers are not constant";
  }
  if (multiplier->rank() != 0 && op.getAxis() != 1) {
    return "its multipliers are neither one for all channels nor one per channel";
  }
  auto requant =
      RequantAttr::get(b.context(), op.getTo(), multiplier->ints(), shift->ints(),
                       static_cast<int64_t>(op.getZeroPoint()), static_cast<int64_t>(op.getLow()),
                       static_cast<int64_t>(op.getHigh()), op.getRounding());
  return b.set(op.getResult(),
               b.emit<RequantizeOp>(b.operand(op.getInput()), op.getInputZeroPoint(), requant));
}

/// Returns whether `rhs` equals `shape`, has one element per channel, or has one element.
bool broadcasts(const Shape &rhs, const Shape &shape) {
  bool isPerChannel = shape.size() == 4 && rhs == Shape{1, shape[1], 1, 1};
  return rhs == shape || isPerChannel || llvm::all_of(rhs, [](int64_t size) { return size == 1; });
}

/// Returns whether the op gives the sum itself: i32, in range, with multipliers that the shift
/// divides.
bool isPlainSum(graph::IntegerAddOp op) {
  auto bitsOf = [](Value value) {
    return cast<TensorType>(value.getType()).getElementTypeBitWidth();
  };
  auto divides = [&](uint64_t multiplier) {
    return static_cast<int64_t>(multiplier) % (int64_t(1) << op.getShift()) == 0;
  };
  auto reach = [&](uint64_t multiplier) {
    return 255.0 * std::ldexp(std::abs(static_cast<double>(static_cast<int64_t>(multiplier))),
                              -static_cast<int>(op.getShift()));
  };
  auto zeroPoint = static_cast<int64_t>(op.getZeroPoint());
  double most = reach(op.getLhsMultiplier()) + reach(op.getRhsMultiplier()) +
                std::abs(static_cast<double>(zeroPoint));
  return op.getTo().isSignlessInteger(32) && bitsOf(op.getLhs()) == 8 && bitsOf(op.getRhs()) == 8 &&
         divides(op.getLhsMultiplier()) && divides(op.getRhsMultiplier()) && most < INT32_MAX &&
         static_cast<int64_t>(op.getLow()) == INT32_MIN &&
         static_cast<int64_t>(op.getHigh()) == INT32_MAX;
}

std::string lowerAdd(graph::IntegerAddOp op, LayerBuilder &b) {
  Shape shape = b.shapeOf(op.getResult());
  Value lhs = op.getLhs();
  Value rhs = op.getRhs();
  uint64_t zeroPoints[] = {op.getLhsZeroPoint(), op.getRhsZeroPoint()};
  uint64_t multipliers[] = {op.getLhsMultiplier(), op.getRhsMultiplier()};
  if (b.shapeOf(lhs) != shape) {
    std::swap(lhs, rhs);
    std::swap(zeroPoints[0], zeroPoints[1]);
    std::swap(multipliers[0], multipliers[1]);
  }
  if (b.shapeOf(lhs) != shape || !broadcasts(b.shapeOf(rhs), shape)) {
    return "it broadcasts an operand that does not have one element per channel";
  }
  if (multipliers[0] == 0 || multipliers[1] == 0) {
    return "the multiplier of one of its terms is 0";
  }
  if (isPlainSum(op)) {
    int64_t unit = int64_t(1) << op.getShift();
    return b.set(op.getResult(),
                 b.emit<EltwiseOp>(b.operand(lhs), b.operand(rhs), EltwiseKind::Add, zeroPoints[0],
                                   zeroPoints[1], static_cast<int64_t>(multipliers[0]) / unit,
                                   static_cast<int64_t>(multipliers[1]) / unit, ActAttr(),
                                   RequantAttr(), op.getZeroPoint()));
  }
  auto requant =
      RequantAttr::get(b.context(), op.getTo(), {1}, {static_cast<int64_t>(op.getShift())},
                       static_cast<int64_t>(op.getZeroPoint()), static_cast<int64_t>(op.getLow()),
                       static_cast<int64_t>(op.getHigh()), op.getRounding());
  return b.set(op.getResult(), b.emit<EltwiseOp>(b.operand(lhs), b.operand(rhs), EltwiseKind::Add,
                                                 zeroPoints[0], zeroPoints[1], multipliers[0],
                                                 multipliers[1], ActAttr(), requant));
}

std::string lowerMul(graph::IntegerMulOp op, LayerBuilder &b) {
  Shape shape = b.shapeOf(op.getResult());
  if (b.shapeOf(op.getLhs()) != shape || !broadcasts(b.shapeOf(op.getRhs()), shape)) {
    return "it broadcasts an operand that does not have one element per channel";
  }
  return b.set(op.getResult(),
               b.emit<EltwiseOp>(b.operand(op.getLhs()), b.operand(op.getRhs()), EltwiseKind::Mul,
                                 op.getLhsZeroPoint(), op.getRhsZeroPoint(), /*lhsMultiplier=*/1,
                                 /*rhsMultiplier=*/1, ActAttr(), RequantAttr()));
}

std::string lowerLookup(graph::LookupOp op, LayerBuilder &b) {
  if (!b.constantOf(op.getTable())) {
    return "its table is not constant";
  }
  return b.set(op.getResult(),
               b.emit<LookupOp>(b.operand(op.getInput()), b.operand(op.getTable())));
}

std::string lowerIntegerLRN(graph::IntegerLRNOp op, LayerBuilder &b) {
  if (b.shapeOf(op.getInput()).size() != 4) {
    return "its input is not N x C x H x W";
  }
  if (!b.constantOf(op.getNear()) || !b.constantOf(op.getFar())) {
    return "its tables are not constant";
  }
  return b.set(op.getResult(),
               b.emit<IntegerLrnOp>(b.operand(op.getInput()), b.operand(op.getNear()),
                                    b.operand(op.getFar()), op.getSize(), op.getInputZeroPoint(),
                                    op.getNearShift(), op.getFarStart(), op.getFarShift(),
                                    op.getBias(), RequantAttr()));
}

bool isBoundOfBytes(graph::BinaryOp op, LayerBuilder &b) {
  ElementType type = b.elementOf(op.getLhs());
  return (op.getKind() == graph::BinaryKind::Max || op.getKind() == graph::BinaryKind::Min) &&
         isInteger(type) && bitWidth(type) == 8;
}

/// Lowers a maximum or minimum with one number to a requantization that only clamps.
std::string lowerBound(graph::BinaryOp op, LayerBuilder &b) {
  bool isMax = op.getKind() == graph::BinaryKind::Max;
  std::optional<Tensor> bound = b.constantOf(op.getRhs());
  ElementType type = b.elementOf(op.getLhs());
  if (!bound || bound->size() != 1 || b.shapeOf(op.getLhs()) != b.shapeOf(op)) {
    return "it compares " + name(type).str() + " with an operand that is not one constant";
  }
  int64_t low = isSignedInteger(type) ? -128 : 0;
  int64_t high = low + 255;
  auto requant = RequantAttr::get(b.context(), toMlir(type, b.context()), {2}, {1}, /*zeroPoint=*/0,
                                  isMax ? bound->asInt(0) : low, isMax ? high : bound->asInt(0),
                                  Rounding::HalfUp);
  return b.set(op.getResult(),
               b.emit<RequantizeOp>(b.operand(op.getLhs()), /*inputZeroPoint=*/0, requant));
}

} // namespace

std::optional<std::string> lowerFromInteger(Operation *op, LayerBuilder &b) {
  using Reason = std::optional<std::string>;
  if (isa<graph::IntegerConvOp, graph::IntegerMatMulOp, graph::RequantizeOp>(op) &&
      hasWideSums(op)) {
    return Reason("its sums have 64 bits; convcore supports 32 bits");
  }
  return llvm::TypeSwitch<Operation *, Reason>(op)
      .Case([&](graph::IntegerConvOp o) { return Reason(lowerConv(o, b)); })
      .Case([&](graph::IntegerMatMulOp o) { return Reason(lowerMatMul(o, b)); })
      .Case([&](graph::IntegerSumPoolOp o) { return Reason(lowerSumPool(o, b)); })
      .Case([&](graph::RequantizeOp o) { return Reason(lowerRequantize(o, b)); })
      .Case([&](graph::IntegerAddOp o) { return Reason(lowerAdd(o, b)); })
      .Case([&](graph::IntegerMulOp o) { return Reason(lowerMul(o, b)); })
      .Case([&](graph::IntegerLRNOp o) { return Reason(lowerIntegerLRN(o, b)); })
      .Case([&](graph::LookupOp o) { return Reason(lowerLookup(o, b)); })
      .Case([&](graph::BinaryOp o) {
        return isBoundOfBytes(o, b) ? Reason(lowerBound(o, b)) : Reason();
      })
      .Default([](Operation *) { return Reason(); });
}

} // namespace convoy::convcore
