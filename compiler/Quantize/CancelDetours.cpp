// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swaps dequantize_linear with the op that follows it, and quantize_linear with the
// op that precedes it, if this changes no value. Ops that move or compare elements
// give the same result before and after a monotonically increasing function. One
// forward and one backward walk suffice, because each walk processes an op after
// its neighbor.

#include "Graph/TypedBuilder.h"
#include "Quantize/Quantized.h"
#include "reference/Reference.h"

using namespace mlir;
using convoy::graph::TypedBuilder;

namespace convoy::quantize {
#define GEN_PASS_DEF_CANCELDETOURSPASS
#include "Quantize/Passes.h.inc"

namespace {

/// Returns the result of an op on constants as a constant.
Value foldIfConstant(Value value) {
  Operation *op = value.getDefiningOp();
  std::vector<reference::Datum> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Tensor> tensor = graph::constantValue(operand);
    if (!tensor) {
      return value;
    }
    operands.emplace_back(*tensor);
  }
  FailureOr<std::vector<reference::Datum>> results = reference::evaluate(op, operands);
  if (failed(results)) {
    return value;
  }
  OpBuilder builder(op);
  Value folded = graph::constant(builder, op->getLoc(), results->front().tensor);
  op->erase();
  return folded;
}

/// Clones the op with another operand 0.
Value cloneOn(TypedBuilder &b, Operation *op, Value operand) {
  Operation *copy = b.builder.clone(*op);
  copy->setOperand(0, operand);
  b.infer(copy);
  return copy->getResult(0);
}

Value dequantizeLike(TypedBuilder &b, graph::DequantizeLinearOp like, Value value, int64_t axis) {
  return b.emit<graph::DequantizeLinearOp>(value, like.getScale(), like.getZeroPoint(),
                                           like.getTo(), axis,
                                           static_cast<int64_t>(like.getBlockSize()));
}

class Canceller {
public:
  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (Value replacement = sink(&op)) {
        op.getResult(0).replaceAllUsesWith(replacement);
        op.erase();
      }
    }
    SmallVector<graph::QuantizeLinearOp> quantizers(block.getOps<graph::QuantizeLinearOp>());
    for (graph::QuantizeLinearOp quantize : llvm::reverse(quantizers)) {
      hoist(quantize);
    }
    SmallVector<graph::DequantizeLinearOp> sources(block.getOps<graph::DequantizeLinearOp>());
    for (graph::DequantizeLinearOp source : llvm::reverse(sources)) {
      if (source->use_empty()) {
        source.erase();
      }
    }
  }

private:
  /// Returns the op's result with its dequantize_linear moved after the op, or
  /// null.
  Value sink(Operation *op) {
    if (auto cast = dyn_cast<graph::CastOp>(op)) {
      return cast.getInput().getType() == cast.getType() ? cast.getInput() : Value();
    }
    if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
      return sinkConcat(concat);
    }
    if (op->getNumOperands() == 0 || op->getNumResults() == 0) {
      return {};
    }
    auto source = op->getOperand(0).getDefiningOp<graph::DequantizeLinearOp>();
    if (!source) {
      return {};
    }
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    std::optional<Quantized> x = quantizedValue(op->getOperand(0));
    if (!x) {
      return sinkWeights(b, op, source);
    }
    if (graph::commutesWithQuantization(op)) {
      return dequantizeLike(b, source, foldIfConstant(cloneOn(b, op, x->value)), 0);
    }
    auto unary = dyn_cast<graph::UnaryOp>(op);
    if (unary && unary.getKind() == graph::UnaryKind::Relu) {
      Value zero = b.scalarLike(x->value, static_cast<double>(x->scale.zeroPoint));
      return dequantizeLike(b, source, b.binary(graph::BinaryKind::Max, x->value, zero), 0);
    }
    auto pad = dyn_cast<graph::PadOp>(op);
    return pad ? sinkPad(b, pad, source, *x) : Value();
  }

  /// Moves dequantize_linear past a transpose of weights with one scale per
  /// channel.
  static Value sinkWeights(TypedBuilder &b, Operation *op, graph::DequantizeLinearOp source) {
    auto transpose = dyn_cast<graph::TransposeOp>(op);
    if (!transpose || !quantizedWeights(source.getResult())) {
      return {};
    }
    ArrayRef<int64_t> perm = transpose.getPerm();
    int64_t axis = llvm::find(perm, static_cast<int64_t>(source.getAxis())) - perm.begin();
    return dequantizeLike(b, source, foldIfConstant(cloneOn(b, op, source.getInput())), axis);
  }

  /// Moves dequantize_linear past a pad: zeros in floating point are zero points in
  /// the integers.
  static Value sinkPad(TypedBuilder &b, graph::PadOp op, graph::DequantizeLinearOp source,
                       const Quantized &x) {
    std::optional<double> value = op.getValue() ? constantScalar(op.getValue()) : 0.0;
    bool isConstant = op.getMode() == graph::PadMode::Constant;
    if (isConstant && value != 0.0) {
      return {};
    }
    Value zero = b.scalarLike(x.value, static_cast<double>(x.scale.zeroPoint));
    Value padded = b.emit<graph::PadOp>(x.value, op.getPads(), isConstant ? zero : Value(),
                                        op.getAxes(), op.getMode());
    return dequantizeLike(b, source, padded, 0);
  }

  /// Moves dequantize_linear past a concat of tensors with one scale.
  static Value sinkConcat(graph::ConcatOp op) {
    SmallVector<Value> integers;
    std::optional<Quantized> first = quantizedValue(op.getInputs().front());
    for (Value input : op.getInputs()) {
      std::optional<Quantized> x = quantizedValue(input);
      bool isAlike = x && x->scale == first->scale &&
                     cast<TensorType>(x->value.getType()).getElementType() ==
                         cast<TensorType>(first->value.getType()).getElementType();
      if (!isAlike) {
        return {};
      }
      integers.push_back(x->value);
    }
    OpBuilder builder(op);
    TypedBuilder b(builder, op.getLoc());
    auto source = op.getInputs().front().getDefiningOp<graph::DequantizeLinearOp>();
    return dequantizeLike(b, source, b.concat(integers, op.getAxis()), 0);
  }

  /// Replaces quantize(move(x)) by move(quantize(x)) repeatedly.
  static void hoist(graph::QuantizeLinearOp quantize) {
    while (true) {
      Operation *mover = quantize.getInput().getDefiningOp();
      bool isMovable = mover && graph::commutesWithQuantization(mover) &&
                       mover->getResult(0).hasOneUse() && scaleOf(quantize) &&
                       !mover->getOperand(0).getDefiningOp<graph::DequantizeLinearOp>() &&
                       mover->getOperand(0).getDefiningOp();
      if (!isMovable) {
        return;
      }
      OpBuilder builder(mover);
      TypedBuilder b(builder, quantize.getLoc());
      // The constants may be defined after the op, so they are built again.
      Value scale = b.constant(*graph::constantValue(quantize.getScale()));
      Value zero = quantize.getZeroPoint()
                       ? b.constant(*graph::constantValue(quantize.getZeroPoint()))
                       : Value();
      auto early =
          b.emit<graph::QuantizeLinearOp>(mover->getOperand(0), scale, zero, quantize.getTo(),
                                          int64_t(0), int64_t(0), quantize.getSaturate())
              .getDefiningOp<graph::QuantizeLinearOp>();
      builder.setInsertionPoint(quantize);
      Value moved = cloneOn(b, mover, early.getResult());
      quantize.getResult().replaceAllUsesWith(moved);
      quantize.erase();
      mover->erase();
      quantize = early;
    }
  }
};

struct CancelDetours : impl::CancelDetoursPassBase<CancelDetours> {
  void runOnOperation() override { Canceller().run(getOperation().getBody().front()); }
};

} // namespace
} // namespace convoy::quantize
