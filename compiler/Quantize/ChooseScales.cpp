// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses scales with zero point 0 for activations. The pass changes a
// quantize_linear and its dequantize_linear together. If the integers are inputs or
// outputs of the model, it inserts an additional pair.

#include "Graph/TypedBuilder.h"
#include "Quantize/Quantized.h"

using namespace mlir;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {
#define GEN_PASS_DEF_CHOOSESCALESPASS
#include "Quantize/Passes.h.inc"

namespace {

ElementType elementOf(Value value) {
  return fromMlir(cast<TensorType>(value.getType()).getElementType());
}

/// Returns the symmetric int8 scale for the range of the original integers.
double symmetricScale(const Scale &scale, ElementType type) {
  int64_t reach = std::max(scale.zeroPoint - lowestOf(type), highestOf(type) - scale.zeroPoint);
  return scale.scale * static_cast<double>(reach) / 127;
}

bool isSymmetric(const Scale &scale, ElementType type) {
  return type == ElementType::I8 && scale.zeroPoint == 0;
}

class ScaleChooser {
public:
  void run(Block &block) {
    SmallVector<graph::DequantizeLinearOp> sources(block.getOps<graph::DequantizeLinearOp>());
    SmallVector<graph::QuantizeLinearOp> quantizers(block.getOps<graph::QuantizeLinearOp>());
    for (graph::DequantizeLinearOp source : sources) {
      visitSource(source);
    }
    for (graph::QuantizeLinearOp quantizer : quantizers) {
      visitQuantizer(quantizer);
    }
  }

  int64_t chosen = 0;

private:
  /// Returns dequantize(quantize(value)) in symmetric int8. If the original range
  /// of a layer has no negative values, the pass inserts a relu, because the range
  /// implied it.
  Value pair(OpBuilder &builder, Location loc, Value value, const Scale &scale, ElementType type) {
    TypedBuilder b(builder, loc);
    if (scale.zeroPoint == lowestOf(type) && endsLayer(value)) {
      value = b.unary(graph::UnaryKind::Relu, value);
    }
    Tensor number(ElementType::F32, {});
    number.setDouble(0, symmetricScale(scale, type));
    Value step = b.constant(number);
    Value zero = b.constant(Tensor(ElementType::I8, {}));
    Value quantized = b.emit<graph::QuantizeLinearOp>(value, step, zero, builder.getI8Type(),
                                                      int64_t(0), int64_t(0), /*saturate=*/true);
    ++chosen;
    return b.emit<graph::DequantizeLinearOp>(quantized, step, zero, builder.getF32Type(),
                                             int64_t(0), int64_t(0));
  }

  /// Converts integer inputs of the model to symmetric int8.
  void visitSource(graph::DequantizeLinearOp op) {
    std::optional<Quantized> x = quantizedValue(op.getResult());
    ElementType type = elementOf(op.getInput());
    if (!x || !isa<BlockArgument>(op.getInput()) || bitWidth(type) != 8 ||
        isSymmetric(x->scale, type)) {
      return;
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    SmallPtrSet<Operation *, 4> own;
    Value inside = pair(builder, op.getLoc(), op.getResult(), x->scale, type);
    for (Operation *next = op->getNextNode(); next != inside.getDefiningOp()->getNextNode();
         next = next->getNextNode()) {
      own.insert(next);
    }
    op.getResult().replaceAllUsesExcept(inside, own);
  }

  void visitQuantizer(graph::QuantizeLinearOp op) {
    std::optional<Scale> scale = scaleOf(op);
    ElementType type = elementOf(op.getResult());
    if (!scale || bitWidth(type) != 8 || isSymmetric(*scale, type)) {
      return;
    }
    SmallVector<graph::DequantizeLinearOp> readers;
    bool isClosed = true;
    for (Operation *user : op.getResult().getUsers()) {
      auto reader = dyn_cast<graph::DequantizeLinearOp>(user);
      std::optional<Quantized> read = reader ? quantizedValue(reader.getResult()) : std::nullopt;
      isClosed &= read && read->scale == *scale;
      readers.push_back(reader);
    }
    OpBuilder builder(op);
    if (isClosed) {
      Value replacement = pair(builder, op.getLoc(), op.getInput(), *scale, type);
      for (graph::DequantizeLinearOp reader : readers) {
        reader.getResult().replaceAllUsesWith(replacement);
        reader.erase();
      }
      op.erase();
    } else if (endsLayer(op.getInput())) {
      op.getInputMutable().assign(pair(builder, op.getLoc(), op.getInput(), *scale, type));
    }
  }

  /// Returns whether an op that these targets run computes the value.
  static bool endsLayer(Value value) {
    Operation *op = value.getDefiningOp();
    while (isa_and_nonnull<graph::UnaryOp, graph::ReshapeOp, graph::TransposeOp>(op)) {
      op = op->getOperand(0).getDefiningOp();
    }
    return op && graph::hasIntegerForm(op);
  }
};

struct ChooseScales : impl::ChooseScalesPassBase<ChooseScales> {
  void runOnOperation() override {
    ScaleChooser chooser;
    chooser.run(getOperation().getBody().front());
    chosenScales += chooser.chosen;
  }
};

} // namespace
} // namespace convoy::quantize
