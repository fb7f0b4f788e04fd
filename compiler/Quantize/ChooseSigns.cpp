// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces unsigned activations by signed ones. A forward walk builds the signed form of each
// value before its readers; values without a signed form are converted at their definition.

#include "Graph/TypedBuilder.h"
#include "Quantize/Quantized.h"

using namespace mlir;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {
#define GEN_PASS_DEF_CHOOSESIGNSPASS
#include "Quantize/Passes.h.inc"

namespace {

/// An unsigned byte minus its signed form.
constexpr int64_t kOffset = 128;

bool isUnsigned(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type && type.hasRank() && fromMlir(type.getElementType()) == ElementType::U8;
}

/// Returns the signed form of a constant.
Tensor signedTensor(const Tensor &tensor) {
  Tensor result(ElementType::I8, tensor.shape());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    result.setInt(i, tensor.asInt(i) - kOffset);
  }
  return result;
}

/// Converts between the forms in i32.
Value converted(TypedBuilder &b, Value value, int64_t offset, ElementType to) {
  Value wide = b.cast(value, ElementType::I32);
  return b.cast(b.add(wide, b.scalarLike(wide, static_cast<double>(offset))), to);
}

class ByteSigner {
public:
  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op);
    }
    for (auto [value, signedForm] : signedForms) {
      restore(value, signedForm);
    }
    for (Operation *op : llvm::reverse(replaced)) {
      if (op->use_empty()) {
        op->erase();
      }
    }
  }

  int64_t signedTensors = 0;

private:
  void visit(Operation *op) {
    if (auto quantize = dyn_cast<graph::QuantizeLinearOp>(op)) {
      visitQuantize(quantize);
    } else if (auto dequantize = dyn_cast<graph::DequantizeLinearOp>(op)) {
      visitDequantize(dequantize);
    } else if (auto product = dyn_cast<graph::ByteMatMulOp>(op)) {
      visitProduct(product);
    } else if (auto cast = dyn_cast<graph::CastOp>(op)) {
      visitCast(cast);
    } else if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
      visitConcat(concat);
    } else if (op->getNumOperands() > 0 && graph::commutesWithQuantization(op)) {
      visitMover(op);
    }
  }

  void visitQuantize(graph::QuantizeLinearOp op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op.getLoc());
    Value zero =
        isUnsigned(op.getResult()) ? signedZeroPoint(b, op.getScale(), op.getZeroPoint()) : Value();
    if (zero) {
      define(op, b.emit<graph::QuantizeLinearOp>(op.getInput(), op.getScale(), zero,
                                                 builder.getI8Type(), op.getAxis(),
                                                 op.getBlockSize(), op.getSaturate()));
    }
  }

  void visitDequantize(graph::DequantizeLinearOp op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op.getLoc());
    bool isActivation = isUnsigned(op.getInput()) && !graph::constantValue(op.getInput());
    if (Value zero =
            isActivation ? signedZeroPoint(b, op.getScale(), op.getZeroPoint()) : Value()) {
      replace(op, b.emit<graph::DequantizeLinearOp>(signedForm(op.getInput()), op.getScale(), zero,
                                                    op.getTo(), op.getAxis(), op.getBlockSize()));
    }
  }

  /// Import writes QLinearMatMul with constant zero points.
  void visitProduct(graph::ByteMatMulOp op) {
    std::optional<Tensor> zero = graph::constantValue(op.getLhsZeroPoint());
    if (zero && isUnsigned(op.getLhs())) {
      OpBuilder builder(op);
      TypedBuilder b(builder, op.getLoc());
      replace(op,
              b.emit<graph::ByteMatMulOp>(signedForm(op.getLhs()), op.getRhs(),
                                          b.constant(signedTensor(*zero)), op.getRhsZeroPoint()));
    }
  }

  /// Import writes the input of QLinearConv as i32(x) - zero point, or as i32(x).
  void visitCast(graph::CastOp op) {
    Operation *last = op;
    std::optional<double> zero = 0;
    if (op.getResult().hasOneUse()) {
      auto difference = dyn_cast<graph::BinaryOp>(*op->user_begin());
      if (difference && difference.getKind() == graph::BinaryKind::Sub &&
          difference.getLhs() == op.getResult()) {
        last = difference;
        zero = constantScalar(difference.getRhs());
      }
    }
    bool isInput =
        isUnsigned(op.getInput()) && zero && fromMlir(op.getTo()) == ElementType::I32 &&
        llvm::all_of(last->getUsers(), [](Operation *user) { return graph::isLinearLayer(user); });
    if (isInput && !last->use_empty()) {
      OpBuilder builder(last);
      TypedBuilder b(builder, op.getLoc());
      Value wide = b.cast(signedForm(op.getInput()), ElementType::I32);
      double signedZero = *zero - static_cast<double>(kOffset);
      replace(last, b.sub(wide, b.scalarLike(wide, signedZero)));
    }
  }

  void visitConcat(graph::ConcatOp op) {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      if (!signedForms.count(input)) {
        return;
      }
      inputs.push_back(signedForms[input]);
    }
    OpBuilder builder(op);
    TypedBuilder b(builder, op.getLoc());
    define(op, b.emit<graph::ConcatOp>(inputs, op.getAxis()));
  }

  void visitMover(Operation *op) {
    auto found = signedForms.find(op->getOperand(0));
    if (found != signedForms.end() && op->getNumResults() >= 1) {
      OpBuilder builder(op);
      TypedBuilder b(builder, op->getLoc());
      Operation *copy = builder.clone(*op);
      copy->setOperand(0, found->second);
      define(op, b.infer(copy)->getResult(0));
    }
  }

  /// Returns the signed form of a zero point, null if the zero point is not constant.
  static Value signedZeroPoint(TypedBuilder &b, Value scale, Value zeroPoint) {
    if (!zeroPoint) {
      Tensor zeros(ElementType::U8, cast<RankedTensorType>(scale.getType()).getShape());
      return b.constant(signedTensor(zeros));
    }
    std::optional<Tensor> constant = graph::constantValue(zeroPoint);
    return constant ? b.constant(signedTensor(*constant)) : Value();
  }

  /// Returns the signed form of a value, and converts the value at its definition if it has none.
  Value signedForm(Value value) {
    Value &found = signedForms[value];
    if (!found) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      TypedBuilder b(builder, value.getLoc());
      found = converted(b, value, -kOffset, ElementType::I8);
      ++signedTensors;
    }
    return found;
  }

  void define(Operation *op, Value signedForm) {
    signedForms[op->getResult(0)] = signedForm;
    replaced.push_back(op);
    ++signedTensors;
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    replaced.push_back(op);
  }

  /// Converts a signed form back for the readers that need unsigned bytes, such as the caller.
  void restore(Value value, Value signedForm) {
    Operation *op = value.getDefiningOp();
    bool isDefined = op && llvm::is_contained(replaced, op);
    auto isRead = [&](OpOperand &use) { return !llvm::is_contained(replaced, use.getOwner()); };
    if (isDefined && llvm::any_of(value.getUses(), isRead)) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(signedForm);
      TypedBuilder b(builder, value.getLoc());
      Value unsignedForm = converted(b, signedForm, kOffset, ElementType::U8);
      value.replaceUsesWithIf(unsignedForm, isRead);
    }
  }

  llvm::MapVector<Value, Value> signedForms;
  SmallVector<Operation *> replaced; // in the order of the block
};

struct ChooseSigns : impl::ChooseSignsPassBase<ChooseSigns> {
  void runOnOperation() override {
    ByteSigner signer;
    signer.run(getOperation().getBody().front());
    signedTensorCount += signer.signedTensors;
  }
};

} // namespace
} // namespace convoy::quantize
