// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements min-max calibration. The calibrator inserts no quantisation between a
// layer and the relu or clip after it, because the quantize stage lowers the chain
// to one integer layer. Ops without an integer form stay in floating point.

#include "Quantize/Calibrate.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Graph/TypedBuilder.h"
#include "reference/Reference.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {

void Ranges::include(Value value, const reference::Datum &datum) {
  if (!datum.isTensor() || datum.tensor.type() != ElementType::F32 || datum.tensor.isEmpty()) {
    return;
  }
  const auto *elements = datum.tensor.data<float>();
  auto [low, high] = std::minmax_element(elements, elements + datum.tensor.size());
  Range &range = ranges[value]; // starts at zero, because every range must contain zero
  range.low = std::min<double>(range.low, *low);
  range.high = std::max<double>(range.high, *high);
}

LogicalResult Ranges::add(func::FuncOp function, ArrayRef<reference::Datum> inputs) {
  for (auto [argument, datum] : llvm::zip(function.getArguments(), inputs)) {
    include(argument, datum);
  }
  auto observe = [&](Operation *op, ArrayRef<reference::Datum> results) {
    for (auto [value, datum] : llvm::zip(op->getResults(), results)) {
      include(value, datum);
    }
  };
  reference::RunOptions options;
  options.observe = observe;
  return failure(failed(reference::run(function, inputs, options)));
}

std::optional<Ranges::Range> Ranges::of(Value value) const {
  auto it = ranges.find(value);
  return it == ranges.end() ? std::nullopt : std::optional<Range>(it->second);
}

namespace {

bool isConstant(Value value) { return value.getDefiningOp<graph::ConstantOp>(); }

bool isSingle(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// Returns whether the op is a relu or one side of a clip.
bool isBound(Operation *op) {
  if (auto unary = dyn_cast<graph::UnaryOp>(op)) {
    return unary.getKind() == graph::UnaryKind::Relu;
  }
  auto binary = dyn_cast<graph::BinaryOp>(op);
  return binary && (binary.getKind() == BinaryKind::Max || binary.getKind() == BinaryKind::Min) &&
         isConstant(binary.getRhs()) && isSingle(binary.getRhs());
}

/// Returns whether the op adds a constant bias to a convolution or matrix product.
bool isBias(Operation *op) {
  auto binary = dyn_cast<graph::BinaryOp>(op);
  Operation *layer = binary ? binary.getLhs().getDefiningOp() : nullptr;
  return layer && binary.getKind() == BinaryKind::Add && isConstant(binary.getRhs()) &&
         graph::isLinearLayer(layer);
}

/// Returns whether the quantize stage can lower the op to integers if its operands
/// are quantised.
bool hasIntegerForm(Operation *op) {
  if (!graph::hasIntegerForm(op)) {
    return false;
  }
  if (auto conv = dyn_cast<graph::ConvOp>(op)) {
    return isConstant(conv.getWeight()) && (!conv.getBias() || isConstant(conv.getBias()));
  }
  if (auto product = dyn_cast<graph::MatMulOp>(op)) {
    auto weight = cast<RankedTensorType>(product.getRhs().getType());
    return isConstant(product.getRhs()) && weight.getRank() == 2;
  }
  if (auto binary = dyn_cast<graph::BinaryOp>(op)) {
    bool isSum = binary.getKind() == BinaryKind::Add || binary.getKind() == BinaryKind::Sub ||
                 binary.getKind() == BinaryKind::Mul;
    return isBias(op) || isBound(op) ||
           (isSum && !isConstant(binary.getLhs()) && !isConstant(binary.getRhs()));
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    return reduce.getKind() == graph::ReduceKind::Mean;
  }
  return !isa<graph::UnaryOp>(op) || isBound(op);
}

/// Returns whether the op is a sum or product of two values.
bool isOfTwo(Operation *op) {
  return isa<graph::BinaryOp>(op) && hasIntegerForm(op) && !isBias(op) && !isBound(op);
}

/// Returns whether an op with an integer form reads the value, possibly through ops
/// that move elements. A sum of two values counts only if its result is read in
/// this way. This excludes the difference to the maximum in a softmax, which stays
/// in floating point.
bool feedsInteger(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return graph::sharesScale(user) || isOfTwo(user) ? feedsInteger(user->getResult(0))
                                                     : hasIntegerForm(user);
  });
}

bool isReal(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

/// Returns whether the value is the result of a convolution or matrix product,
/// including its bias, relu or clip.
bool isOfLayer(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && (isBound(op) || isBias(op))) {
    op = op->getOperand(0).getDefiningOp();
  }
  return op && graph::isLinearLayer(op);
}

/// Returns whether the value is inside a layer: before its bias, relu or clip.
bool isInsideLayer(Value value) {
  if (!value.hasOneUse() || !value.getDefiningOp()) {
    return false;
  }
  Operation *user = *value.getUsers().begin();
  return isBound(user) || (isBias(user) && user->getOperand(0) == value);
}

class Inserter {
public:
  explicit Inserter(const Ranges &ranges) : ranges(ranges) {}

  void quantizeValues(func::FuncOp function) {
    SmallVector<Value> values;
    for (Operation &op : function.getBody().front()) {
      // Quantises the result of a floating-point op only if a layer reads it.
      bool isFloat = !graph::sharesScale(&op) && !isa<graph::ConstantOp>(op) &&
                     op.getNumResults() == 1 && isReal(op.getResult(0)) &&
                     feedsInteger(op.getResult(0));
      if (hasIntegerForm(&op) || isFloat) {
        values.push_back(op.getResult(0));
      }
    }
    llvm::erase_if(values, isInsideLayer);
    values.insert(values.begin(), function.getArguments().begin(), function.getArguments().end());
    for (Value value : values) {
      if (std::optional<Ranges::Range> range = sharedRange(value)) {
        scales[value] = static_cast<float>((range->high - range->low) / 255);
      }
    }
    function.walk([&](graph::BinaryOp op) { tieAddends(op); });
    for (Value value : values) {
      quantize(value);
    }
  }

  int64_t quantizeWeights(func::FuncOp function) {
    int64_t count = 0;
    function.walk([&](Operation *op) {
      bool isLayer = graph::isLinearLayer(op) && hasIntegerForm(op);
      if (isLayer && op->getOperand(0).getDefiningOp() && isQuantized(op->getOperand(0))) {
        OpBuilder builder(op);
        TypedBuilder b(builder, op->getLoc());
        op->setOperand(1, weights(b, op->getOperand(1), isa<graph::ConvOp>(op) ? 0 : 1));
        ++count;
      }
    });
    return count;
  }

private:
  static bool isQuantized(Value value) {
    Operation *op = value.getDefiningOp();
    while (op && graph::sharesScale(op)) {
      op = op->getOperand(0).getDefiningOp();
    }
    return op && isa<graph::DequantizeLinearOp>(op);
  }

  static bool feedsConcat(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      return isa<graph::ConcatOp>(user) ||
             (graph::sharesScale(user) && feedsConcat(user->getResult(0)));
    });
  }

  /// Returns the joint range of a value and all values that it is concatenated
  /// with. Integers of one scale are concatenated without arithmetic.
  std::optional<Ranges::Range> sharedRange(Value value) const {
    std::optional<Ranges::Range> range = ranges.of(value);
    for (Operation *user : value.getUsers()) {
      bool isShared = isa<graph::ConcatOp>(user) ||
                      (graph::sharesScale(user) && feedsConcat(user->getResult(0)));
      std::optional<Ranges::Range> other =
          range && isShared ? sharedRange(user->getResult(0)) : std::nullopt;
      if (other) {
        range->low = std::min(range->low, other->low);
        range->high = std::max(range->high, other->high);
      }
    }
    return range;
  }

  /// Increases the smaller scale of two added values until the two scales differ by
  /// a power of two. A device then aligns the values with a shift instead of two
  /// factors. The lost precision is below the step of the other value.
  void tieAddends(graph::BinaryOp op) {
    auto rootOf = [](Value value) {
      Operation *from = value.getDefiningOp();
      while (from && graph::sharesScale(from) && !isa<graph::ConcatOp>(from)) {
        value = from->getOperand(0);
        from = value.getDefiningOp();
      }
      return value;
    };
    Value coarse = rootOf(op.getLhs());
    Value fine = rootOf(op.getRhs());
    auto isFree = [&](Value value) {
      return scales.lookup(value) > 0 && !tied.contains(value) && !feedsConcat(value);
    };
    if (op.getKind() != BinaryKind::Add || coarse == fine || !isFree(coarse) || !isFree(fine)) {
      return;
    }
    if (scales[coarse] < scales[fine]) {
      std::swap(coarse, fine);
    }
    double apart = std::floor(std::log2(double(scales[coarse]) / scales[fine]));
    scales[fine] = std::ldexp(scales[coarse], -static_cast<int>(apart));
    tied.insert(coarse);
    tied.insert(fine);
  }

  /// Replaces x by dequantize(quantize(x)) for its readers.
  void quantize(Value value) {
    std::optional<Ranges::Range> range = sharedRange(value);
    bool isOfUse = feedsInteger(value) || isOfLayer(value);
    if (!range || !(range->high > range->low) || !isOfUse) {
      return;
    }
    double scale = scales.lookup(value);
    double zero = std::clamp(std::nearbyint(-range->low / scale), 0.0, 255.0);
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    TypedBuilder b(builder, value.getLoc());
    Value scaleValue = b.constant(Tensor::scalar(ElementType::F32, scale));
    Value zeroValue = b.constant(Tensor::scalar(ElementType::U8, zero));
    Value integers = b.emit<graph::QuantizeLinearOp>(value, scaleValue, zeroValue,
                                                     toMlir(ElementType::U8, value.getContext()),
                                                     int64_t(0), int64_t(0), /*saturate=*/true);
    Value reals = b.emit<graph::DequantizeLinearOp>(integers, scaleValue, zeroValue,
                                                    builder.getF32Type(), int64_t(0), int64_t(0));
    value.replaceAllUsesExcept(reals, integers.getDefiningOp());
  }

  /// Returns a dequantize_linear of 8-bit weights with one scale per index of
  /// `axis`.
  static Value weights(TypedBuilder &b, Value value, int64_t axis) {
    Tensor reals = *graph::constantValue(value);
    int64_t channels = reals.dim(axis);
    int64_t inner = 1;
    for (int64_t i = axis + 1; i < reals.rank(); ++i) {
      inner *= reals.dim(i);
    }
    auto channelOf = [&](int64_t i) { return i / inner % channels; };
    SmallVector<double> most(channels, 0);
    for (int64_t i = 0; i < reals.size(); ++i) {
      double &peak = most[channelOf(i)];
      peak = std::max(peak, std::abs(reals.asDouble(i)));
    }
    Tensor scales(ElementType::F32, {channels});
    for (int64_t c = 0; c < channels; ++c) {
      scales.setDouble(c, most[c] > 0 ? most[c] / 127 : 1);
    }
    Tensor integers(ElementType::I8, reals.shape());
    for (int64_t i = 0; i < reals.size(); ++i) {
      double step = std::nearbyint(reals.asDouble(i) / scales.asDouble(channelOf(i)));
      integers.setInt(i, static_cast<int64_t>(std::clamp(step, -127.0, 127.0)));
    }
    return b.emit<graph::DequantizeLinearOp>(b.constant(integers), b.constant(scales), Value(),
                                             b.builder.getF32Type(), axis, int64_t(0));
  }

  const Ranges &ranges;
  llvm::DenseMap<Value, float> scales;
  /// The values that tieAddends() has processed.
  llvm::DenseSet<Value> tied;
};

} // namespace

int64_t insertQuantization(func::FuncOp function, const Ranges &ranges) {
  Inserter inserter(ranges);
  inserter.quantizeValues(function);
  return inserter.quantizeWeights(function);
}

} // namespace convoy::quantize
