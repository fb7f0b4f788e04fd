// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces ops with sizes that depend on data by ops in memory of a maximum size, if only outputs
// of the model read the results. Adds the actual sizes as the last result of the function. Other
// ops with such sizes stay; convoy-place-check-cpu reports them.

#include "Graph/Attributes.h"
#include "Graph/Extent.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_INSERTEXTENTSPASS
#include "Simplify/Passes.h.inc"

namespace {

bool hasStaticNumbers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape()) {
    return false;
  }
  ElementType element = fromMlir(type.getElementType());
  return isFloat(element) || isInteger(element) || element == ElementType::Bool;
}

bool hasOpenShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

/// Values of maximum size that replace the results of an op, and the size that depends on data.
struct Bounded {
  SmallVector<Value> results;
  Value extent;
};
using MaybeBounded = std::optional<Bounded>;

MaybeBounded boundCompress(TypedBuilder &b, CompressOp op) {
  auto bounded = b.builder.create<BoundedCompressOp>(
      b.loc, b.placeholder(), b.placeholder(), op.getInput(), op.getCondition(), op.getAxisAttr());
  b.infer(bounded);
  return Bounded{{bounded.getResult()}, bounded.getExtents()};
}

MaybeBounded boundNonZero(TypedBuilder &b, NonZeroOp op) {
  auto bounded =
      b.builder.create<BoundedNonZeroOp>(b.loc, b.placeholder(), b.placeholder(), op.getInput());
  b.infer(bounded);
  return Bounded{{bounded.getResult()}, bounded.getExtents()};
}

int64_t countOf(ArrayRef<int64_t> shape) { return elementCount(shape).value_or(0); }

/// Orders and groups the slices of the input as a matrix of slices x elements.
MaybeBounded boundUnique(TypedBuilder &b, UniqueOp op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  if (countOf(shape) == 0) {
    return std::nullopt;
  }
  int64_t axis = op.getAxis().value_or(0);
  int64_t slices = op.getAxis() ? shape[axis] : countOf(shape);
  int64_t outer = op.getAxis() ? countOf(shape.take_front(axis)) : 1;
  int64_t inner = countOf(shape) / slices / outer;
  Value blocks = b.reshape(op.getInput(), {outer, slices, inner});
  Value first = outer == 1 ? blocks : b.transpose(blocks, {1, 0, 2});
  Value order = b.emit<SortSlicesOp>(b.reshape(first, {1, slices, outer * inner}),
                                     /*descending=*/false);
  Value groups =
      b.emit<GroupSlicesOp>(b.reshape(first, {slices, outer * inner}), order, op.getSorted());
  SmallVector<Type> types(4, b.placeholder());
  auto bounded =
      b.builder.create<BoundedUniqueOp>(b.loc, types, op.getInput(), groups, op.getAxisAttr());
  b.infer(bounded);
  Value inverse = b.reshape(b.slice(groups, /*axis=*/0, 1, 2), {slices});
  return Bounded{{bounded.getResult(), bounded.getIndices(), inverse, bounded.getCounts()},
                 bounded.getExtents()};
}

/// Returns the scores with minus infinity instead of the scores that are not above the threshold.
/// Sorting takes time only for the others.
Value candidateScores(TypedBuilder &b, NonMaxSuppressionOp op) {
  Value scores = op.getScores();
  Value threshold = op.getScoreThreshold();
  if (!threshold || b.element(threshold) != b.element(scores) || !isFloat(b.element(scores))) {
    return scores;
  }
  Value isAbove = b.binary(BinaryKind::Greater, scores, b.reshape(threshold, {}));
  return b.select(isAbove, scores, b.scalarLike(scores, -HUGE_VAL));
}

/// Sorts the scores of each class first. A constant limit bounds the boxes of a class.
MaybeBounded boundSuppression(TypedBuilder &b, NonMaxSuppressionOp op) {
  ArrayRef<int64_t> scores = cast<RankedTensorType>(op.getScores().getType()).getShape();
  Value limit = op.getMaxBoxesPerClass();
  if (countOf(scores) == 0 || (limit && !isInteger(b.element(limit)))) {
    return std::nullopt;
  }
  int64_t rows = limit ? scores[2] : 0; // without a limit, ONNX returns no boxes
  if (std::optional<Tensor> known = limit ? constantValue(limit) : std::nullopt) {
    rows = std::clamp<int64_t>(known->asInt(0), 0, rows);
  }
  Value lines = b.reshape(candidateScores(b, op), {scores[0] * scores[1], scores[2], 1});
  Value order = b.emit<SortSlicesOp>(lines, /*descending=*/true);
  SmallVector<Type> types(2, b.placeholder());
  auto bounded = b.builder.create<BoundedSuppressionOp>(
      b.loc, types, op.getBoxes(), op.getScores(), order, limit, op.getIouThreshold(),
      op.getScoreThreshold(), op.getBoxesAreCentered(), rows);
  b.infer(bounded);
  return Bounded{{bounded.getResult()}, bounded.getExtents()};
}

MaybeBounded createBounded(TypedBuilder &b, Operation *op) {
  if (!llvm::all_of(op->getOperands(), hasStaticNumbers)) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, MaybeBounded>(op)
      .Case([&](CompressOp compress) { return boundCompress(b, compress); })
      .Case([&](NonMaxSuppressionOp boxes) { return boundSuppression(b, boxes); })
      .Case([&](NonZeroOp nonZero) { return boundNonZero(b, nonZero); })
      .Case([&](UniqueOp unique) { return boundUnique(b, unique); })
      .Default([](Operation *) { return std::nullopt; });
}

class ExtentInserter {
public:
  explicit ExtentInserter(func::FuncOp function)
      : function(function), terminator(function.getBody().front().getTerminator()) {}

  LogicalResult run() {
    llvm::SetVector<Operation *> sources;
    for (Value value : terminator->getOperands()) {
      if (Operation *op = value.getDefiningOp(); op && hasOpenShape(value)) {
        sources.insert(op);
      }
    }
    for (Operation *op : sources) {
      if (isOnlyReturned(op)) {
        bound(op);
      }
    }
    if (!extents.empty()) {
      addExtents();
    }
    updateFunctionType(function);
    return failure(hasFailed);
  }

  int64_t count() const { return static_cast<int64_t>(extents.size()); }

private:
  bool isOnlyReturned(Operation *op) const {
    return llvm::all_of(op->getResults(), [&](Value result) {
      return !hasOpenShape(result) ||
             llvm::all_of(result.getUsers(), [&](Operation *user) { return user == terminator; });
    });
  }

  void bound(Operation *op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    MaybeBounded bounded = createBounded(b, op);
    hasFailed |= b.hasFailed;
    if (!bounded) {
      return;
    }
    // Each of these ops has one size that depends on data, also if it has several results.
    int32_t extent = static_cast<int32_t>(extents.size());
    extents.push_back(bounded->extent);
    for (OpOperand &operand : terminator->getOpOperands()) {
      if (operand.get().getDefiningOp() == op && hasOpenShape(operand.get())) {
        setDims(operand.getOperandNumber(), cast<RankedTensorType>(operand.get().getType()),
                extent);
      }
    }
    op->replaceAllUsesWith(bounded->results);
    op->erase();
  }

  void setDims(unsigned result, RankedTensorType type, int32_t extent) {
    SmallVector<int32_t> dims;
    for (int64_t size : type.getShape()) {
      dims.push_back(size == kDynamic ? extent : -1);
    }
    MLIRContext *context = function.getContext();
    function.setResultAttr(result, StringAttr::get(context, kDimsAttr),
                           DenseI32ArrayAttr::get(context, dims));
  }

  void addExtents() {
    OpBuilder builder(terminator);
    TypedBuilder b(builder, function.getLoc());
    Value all = b.concat(extents, /*axis=*/0);
    hasFailed |= b.hasFailed;
    terminator->insertOperands(terminator->getNumOperands(), all);
    NamedAttribute mark(builder.getStringAttr(kExtentsAttr), builder.getUnitAttr());
    NamedAttribute name(builder.getStringAttr(kNameAttr), builder.getStringAttr("extents"));
    function.insertResult(function.getNumResults(), all.getType(),
                          builder.getDictionaryAttr({mark, name}));
  }

  func::FuncOp function;
  Operation *terminator;
  SmallVector<Value> extents;
  bool hasFailed = false;
};

struct InsertExtents : impl::InsertExtentsPassBase<InsertExtents> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) {
      return;
    }
    unsigned results = function.getNumResults();
    if (results > 0 && isExtentsResult(function, results - 1)) {
      return; // The pass has already run.
    }
    ExtentInserter inserter(function);
    if (failed(inserter.run())) {
      signalPassFailure();
    }
    boundedOps += inserter.count();
  }
};

} // namespace
} // namespace convoy::simplify
