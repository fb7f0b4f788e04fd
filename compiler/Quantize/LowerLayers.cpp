// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-quantize-lower-layers. From each quantize_linear, the pass
// walks back over relu and clip to the layer and tries each lowering in turn. It
// visits ops in block order, so the operands of a layer are already integers.

#include "Quantize/LowerLayers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {
#define GEN_PASS_DEF_LOWERLAYERSPASS
#include "Quantize/Passes.h.inc"

namespace {

/// Tables are last, because they accept any function of one element.
constexpr LayerLowering kLowerings[] = {
    lowerLayer,   lowerAverage, lowerBinary,        lowerRescale,
    lowerConcat,  lowerSoftmax, lowerNormalization, lowerByteNormalization,
    lowerQLinear, lowerTable};

/// Returns the bounds of a relu or of one side of a clip.
std::optional<Bounds> boundsOf(Operation *op) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  auto unary = dyn_cast_or_null<graph::UnaryOp>(op);
  if (unary && unary.getKind() == graph::UnaryKind::Relu) {
    return Bounds{0, kInfinity};
  }
  auto binary = dyn_cast_or_null<graph::BinaryOp>(op);
  std::optional<double> limit = binary ? constantScalar(binary.getRhs()) : std::nullopt;
  if (limit && binary.getKind() == graph::BinaryKind::Max) {
    return Bounds{*limit, kInfinity};
  }
  if (limit && binary.getKind() == graph::BinaryKind::Min) {
    return Bounds{-kInfinity, *limit};
  }
  return std::nullopt;
}

/// Returns the value before relu and clip, and their combined bounds.
std::pair<Value, Bounds> stripBounds(Value value) {
  Bounds bounds = {-std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::infinity()};
  while (value.hasOneUse()) {
    std::optional<Bounds> inner = boundsOf(value.getDefiningOp());
    if (!inner) {
      break;
    }
    bounds = {std::clamp(inner->low, bounds.low, bounds.high),
              std::clamp(inner->high, bounds.low, bounds.high)};
    value = value.getDefiningOp()->getOperand(0);
  }
  return {value, bounds};
}

/// Erases dead ops, from `op` backwards.
void eraseDead(Operation *op) {
  llvm::SmallSetVector<Operation *, 8> work; // a set, because two readers may share a producer
  work.insert(op);
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (!next->use_empty()) {
      continue;
    }
    SmallVector<Value> operands(next->getOperands());
    next->erase();
    for (Value operand : operands) {
      if (Operation *producer = operand.getDefiningOp()) {
        work.insert(producer);
      }
    }
  }
}

class LayerRewriter {
public:
  explicit LayerRewriter(const Arithmetic &arithmetic) : arithmetic(arithmetic) {}

  void run(Block &block) {
    for (auto op : SmallVector<graph::QuantizeLinearOp>(block.getOps<graph::QuantizeLinearOp>())) {
      visit(op);
    }
    SmallVector<Value> open;
    for (Operation &op : block) {
      if (graph::isLinearLayer(&op)) {
        open.push_back(op.getResult(0));
      }
    }
    for (Value value : open) {
      visitOpen(value);
    }
  }

  int64_t lowered = 0;
  FittingCost cost;

private:
  void visit(graph::QuantizeLinearOp op) {
    std::optional<Scale> scale = scaleOf(op);
    if (!scale || isa<BlockArgument>(op.getInput())) {
      return; // a floating-point input of the model
    }
    auto [value, bounds] = stripBounds(op.getInput());
    if (isa<BlockArgument>(value)) {
      return;
    }
    IntegerBuilder b(op, *scale, bounds, arithmetic, cost);
    std::string why;
    for (LayerLowering lower : kLowerings) {
      if (Value integers = lower(value, b, why)) {
        op.getResult().replaceAllUsesWith(integers);
        eraseDead(op);
        ++lowered;
        return;
      }
    }
    Operation *layer = value.getDefiningOp();
    why = why.empty()
              ? ("there is no integer lowering for " + layer->getName().getStringRef()).str()
              : why;
    layer->emitRemark("stays in floating point: ") << why;
  }

  /// Lowers a layer whose sums continue in floating point to an integer layer and
  /// one dequantize_linear.
  void visitOpen(Value value) {
    // A constant added after the layer is part of the layer if it is a bias.
    Operation *user = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
    bool hasSum = isa_and_nonnull<graph::BinaryOp>(user);
    lowered += (hasSum && rewriteOpen(user->getResult(0))) || rewriteOpen(value) ? 1 : 0;
  }

  static bool rewriteOpen(Value root) {
    Operation *op = root.getDefiningOp();
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    std::string why;
    std::optional<Sums> sums = sumsOf(root, b, why);
    if (!sums) {
      return false;
    }
    bool isScalar = sums->steps.size() == 1;
    Tensor scale(ElementType::F32,
                 isScalar ? Shape() : Shape{static_cast<int64_t>(sums->steps.size())});
    for (auto [i, step] : llvm::enumerate(sums->steps)) {
      scale.setDouble(static_cast<int64_t>(i), step);
    }
    root.replaceAllUsesWith(b.emit<graph::DequantizeLinearOp>(
        sums->value, b.constant(scale), Value(), builder.getF32Type(), sums->axis, int64_t(0)));
    eraseDead(op);
    return true;
  }

  Arithmetic arithmetic;
};

struct LowerLayers : impl::LowerLayersPassBase<LowerLayers> {
  using LowerLayersPassBase::LowerLayersPassBase;

  void runOnOperation() override {
    if (multiplierBits < 8 || multiplierBits > 31) {
      getOperation().emitError("expects multiplier-bits in [8, 31], got ")
          << multiplierBits.getValue();
      return signalPassFailure();
    }
    constexpr int64_t kMostIntervals = 1 << 12;
    if (std::min(shortTable, longTable) < 0 || (shortTable == 0) != (longTable == 0) ||
        std::max(shortTable, longTable) > kMostIntervals) {
      getOperation().emitError("expects short-table and long-table in [1, ")
          << kMostIntervals << "] intervals, or both 0, got " << shortTable.getValue() << " and "
          << longTable.getValue();
      return signalPassFailure();
    }
    LayerRewriter rewriter(arithmetic());
    rewriter.run(getOperation().getBody().front());
    loweredLayers += rewriter.lowered;
    warn(rewriter.cost);
  }

  Arithmetic arithmetic() const {
    Arithmetic result;
    result.multiplierBits = multiplierBits;
    result.rounding = rounding;
    result.hasOneShift = hasOneShift;
    result.axisAverageLimit = axisAverageLimit;
    result.shiftsAddend = shiftsAddend;
    result.shiftsOnly = shiftsOnly;
    result.shortTable = shortTable;
    result.longTable = longTable;
    result.hasByteTables = hasByteTables;
    return result;
  }

  /// Warns about the loss of precision of the shift-only arithmetic.
  void warn(const FittingCost &cost) {
    if (cost.layers > 0) {
      getOperation().emitWarning("rescaling by shifts changes the weights of ")
          << cost.layers << " layers by up to " << llvm::formatv("{0:F2}", 100 * cost.worst).str()
          << " % of their norm; run `convoy check --layer-errors` to see the effect on each layer";
    }
  }
};

} // namespace
} // namespace convoy::quantize
