// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-fusion-lower-narrow-floats, block by block. Each op that computes in f16 or
// bf16 is replaced by the same op in f32, and the values between these ops stay in f32. Values that
// other ops read, for example comparisons, are rounded to their type.
//
//     f16 --cast--> conv --> relu --> conv --cast--> f16        all in f32 between the casts
//     f16 weights --cast--^           (inside the kernel of the convolution)
//
// The templates of convolutions and products load f16 and bf16 weights, so these weights keep their
// type, and so do the scales of packed matrices. Other constants are converted at compile time.
// docs/decisions/0028-narrow-floats-in-f32.md states the policy.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/Constant.h"
#include "Graph/Custom.h"
#include "Graph/OpFacts.h"
#include "Graph/PackedMatrix.h"
#include "Graph/TypeInference.h"
#include "Graph/TypedBuilder.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "reference/Convert.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using convoy::graph::OpClass;

namespace convoy::fusion {
#define GEN_PASS_DEF_LOWERNARROWFLOATSPASS
#include "Fusion/Passes.h.inc"

namespace {

bool isNarrow(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return isa<RankedTensorType>(value.getType()) && (element.isF16() || element.isBF16());
}

/// Returns whether the result can change by more than rounding if an operand is not rounded to its
/// type.
bool hasJumps(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](graph::UnaryOp unary) {
        return llvm::is_contained({graph::UnaryKind::Floor, graph::UnaryKind::Ceil,
                                   graph::UnaryKind::Round, graph::UnaryKind::Sign},
                                  unary.getKind());
      })
      .Case([](graph::BinaryOp binary) {
        return binary.getKind() == graph::BinaryKind::Mod ||
               binary.getKind() == graph::BinaryKind::FMod;
      })
      .Case([](graph::ActivationOp activation) {
        return activation.getKind() == graph::ActivationKind::ThresholdedRelu ||
               activation.getKind() == graph::ActivationKind::Shrink;
      })
      .Case(
          [](graph::GridSampleOp sample) { return sample.getMode() == graph::ResizeMode::Nearest; })
      .Case<graph::CustomOp, graph::MaxRoiPoolOp, graph::OneHotOp>([](Operation *) { return true; })
      .Default(false);
}

/// Returns whether the op computes floats. Other ops that can have float results move elements.
bool isArithmetic(Operation *op) {
  OpClass kind = graph::classify(op);
  return !isa<graph::SelectOp>(op) &&
         (kind == OpClass::Elementwise || kind == OpClass::Reduction || kind == OpClass::Heavy);
}

class BlockWidener {
public:
  BlockWidener(Block &block, bool convertsHalves) : block(block), convertsHalves(convertsHalves) {}

  /// Returns the number of ops that compute in f32 now.
  FailureOr<int64_t> run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto cast = dyn_cast<graph::CastOp>(op)) {
        readWide(cast);
      } else if (mayWiden(&op) && failed(widen(&op))) {
        return failure();
      }
    }
    for (Operation *op : llvm::reverse(replaced)) {
      roundResults(op);
      op->erase();
    }
    for (graph::CastOp cast : weights) {
      foldUnsupported(cast);
    }
    eraseUnread();
    for (graph::ConstantOp constant : converted) {
      if (constant.use_empty()) {
        constant.erase();
      }
    }
    return static_cast<int64_t>(replaced.size());
  }

private:
  bool mayWiden(Operation *op) const {
    OpClass kind = graph::classify(op);
    bool isOfClass = isArithmetic(op) || isa<graph::SelectOp>(op) || kind == OpClass::Movement ||
                     kind == OpClass::Whole;
    if (!isOfClass || isa<graph::BitcastOp, graph::ReorderOp>(op) || hasJumps(op)) {
      return false;
    }
    bool isFloat = llvm::all_of(
        op->getResults(), [](Value result) { return isNarrow(result) || result.use_empty(); });
    auto isWide = [&](Value operand) {
      Value value = wide.lookup(operand);
      return value && !value.getDefiningOp<graph::CastOp>();
    };
    return isFloat && llvm::any_of(op->getResults(), isNarrow) &&
           llvm::any_of(op->getOperands(), isNarrow) &&
           (isArithmetic(op) || llvm::any_of(op->getOperands(), isWide));
  }

  /// Creates the op in f32 next to the op, which run() erases.
  LogicalResult widen(Operation *op) {
    OpBuilder builder(op);
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      if (isNarrow(operand.get())) {
        mapping.map(operand.get(), wideOf(builder, operand));
      }
    }
    Operation *other = builder.clone(*op, mapping);
    if (graph::isPackedMatrix(op)) { // An attribute states the type of the result.
      cast<graph::DequantizeLinearOp>(other).setTo(builder.getF32Type());
    }
    graph::Knowledge knowledge;
    if (failed(graph::inferResultTypes(other, knowledge))) {
      return failure();
    }
    bool isF32 = llvm::all_of(llvm::zip(op->getResults(), other->getResults()), [](auto pair) {
      auto [before, after] = pair;
      return !isNarrow(before) || getElementTypeOrSelf(after.getType()).isF32();
    });
    if (!isF32) { // An attribute states the type of the result.
      other->erase();
      return success();
    }
    for (auto [before, after] : llvm::zip(op->getResults(), other->getResults())) {
      if (isNarrow(before)) {
        wide[before] = after;
      }
    }
    replaced.push_back(op);
    return success();
  }

  /// Erases casts and constants for ops that widen() left in their type.
  void eraseUnread() {
    for (auto [narrow, value] : wide) {
      auto cast = value.getDefiningOp<graph::CastOp>();
      if (cast && cast->use_empty()) {
        cast.erase();
      }
    }
    for (auto [narrow, value] : constants) {
      if (value.use_empty()) {
        value.getDefiningOp()->erase();
      }
    }
  }

  Value wideOf(OpBuilder &builder, OpOperand &operand) {
    Value value = operand.get();
    if (Value known = wide.lookup(value)) {
      return known;
    }
    auto constant = value.getDefiningOp<graph::ConstantOp>();
    if (constant && graph::isPackedMatrix(operand.getOwner())) {
      return value; // the template that reads the matrix converts its scales
    }
    bool isWeight =
        isa<graph::ConvOp, graph::MatMulOp>(operand.getOwner()) && operand.getOperandNumber() == 1;
    if (constant && !isWeight) {
      return constants[value] ? constants[value] : constants[value] = widened(builder, constant);
    }
    graph::TypedBuilder typed(builder, operand.getOwner()->getLoc());
    Value result = typed.cast(value, ElementType::F32);
    if (constant) {
      weights.push_back(result.getDefiningOp<graph::CastOp>());
      return result;
    }
    return wide[value] = result;
  }

  Value widened(OpBuilder &builder, graph::ConstantOp constant) {
    converted.insert(constant);
    Tensor tensor = graph::toTensor(constant.getValue());
    return graph::constant(builder, constant.getLoc(),
                           reference::converted(tensor, ElementType::F32));
  }

  /// Lets a conversion to a wider float read the value before it is rounded.
  void readWide(graph::CastOp cast) {
    Value value = wide.lookup(cast.getInput());
    if (value && cast.getTo().isF32()) {
      cast.getResult().replaceAllUsesWith(value);
      cast.erase();
    } else if (value && cast.getTo().isF64()) {
      cast.getInputMutable().set(value);
    }
  }

  /// Lets the remaining readers of an op read the results in f32 rounded to their type.
  void roundResults(Operation *op) {
    for (Value result : op->getResults()) {
      if (result.use_empty()) {
        continue;
      }
      Value value = wide.lookup(result);
      OpBuilder builder(op);
      graph::TypedBuilder typed(builder, op->getLoc());
      ElementType type = fromMlir(getElementTypeOrSelf(result.getType()));
      result.replaceAllUsesWith(typed.cast(value, type));
    }
  }

  /// Converts weights at compile time if no template loads them in their type, or if each load
  /// would cost many instructions. The generic loops would convert each element many times.
  void foldUnsupported(graph::CastOp cast) {
    if (cast->use_empty()) { // widen() left the reader in its type.
      return cast.erase();
    }
    Operation *reader = *cast->getUsers().begin();
    bool isCheap = convertsHalves || getElementTypeOrSelf(cast.getInput().getType()).isBF16();
    if (isCheap && cyclesOf({cast, reader}).hasTemplate) {
      return;
    }
    OpBuilder builder(cast);
    auto constant = cast.getInput().getDefiningOp<graph::ConstantOp>();
    cast.getResult().replaceAllUsesWith(widened(builder, constant));
    cast.erase();
  }

  Block &block;
  bool convertsHalves;
  llvm::DenseMap<Value, Value> wide;      // the value in f32; not of constants
  llvm::DenseMap<Value, Value> constants; // constants in f32
  llvm::SetVector<graph::ConstantOp> converted;
  SmallVector<Operation *> replaced;  // in block order
  SmallVector<graph::CastOp> weights; // each has one reader
};

struct LowerNarrowFloats : impl::LowerNarrowFloatsPassBase<LowerNarrowFloats> {
  using LowerNarrowFloatsPassBase::LowerNarrowFloatsPassBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      Operation *parent = block->getParentOp();
      // The template of recurrent layers expects their products as they are.
      bool isInside = isa<graph::KernelOp, graph::ScanOp>(parent) ||
                      parent->getParentOfType<graph::KernelOp>() ||
                      parent->getParentOfType<graph::ScanOp>();
      if (!isInside) {
        blocks.push_back(block);
      }
    });
    for (Block *block : blocks) {
      FailureOr<int64_t> count = BlockWidener(*block, convertsHalves).run();
      if (failed(count)) {
        return signalPassFailure();
      }
      widenedOps += *count;
    }
  }
};

} // namespace
} // namespace convoy::fusion
