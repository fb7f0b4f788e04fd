// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Control.td. The result types follow from the types that the
// regions yield. Import widens the argument types of loop bodies first; the
// rules never change types inside a region.

#include "Graph/Graph.h"
#include "Graph/JoinTypes.h"

using namespace mlir;

namespace convoy::graph {

/// Returns the graph.yield of a region. Emits an error and returns null if the
/// region has none, which is possible in parsed IR.
static YieldOp yieldOf(Region &region, TypeInference &inference) {
  Block &block = region.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    inference.error() << "has a region that does not end with graph.yield";
  }
  return yield;
}

/// Checks that `condition` has one element of type bool ([if.1]).
static LogicalResult checkCondition(Value condition, TypeInference &inference) {
  auto type = dyn_cast<TensorType>(inference.type(condition));
  bool isBool = type && type.getElementType().isInteger(1);
  bool hasOther = type && type.hasStaticShape() && elementCount(type.getShape()) != 1;
  if (isBool && !hasOther) {
    return success();
  }
  return inference.error() << "expects a condition of one bool element, got "
                           << inference.type(condition);
}

/// Returns the type that a branch yields, or null if the branch is graph.fail.
/// The other branch then determines the type.
static Type branchType(Value value, TypeInference &inference) {
  return value.getDefiningOp<FailOp>() ? Type() : inference.type(value);
}

LogicalResult IfOp::inferTypes(TypeInference &inference) {
  if (failed(checkCondition(getCondition(), inference))) { // [if.1]
    return failure();
  }
  YieldOp thenYield = yieldOf(getThenBranch(), inference);
  YieldOp elseYield = yieldOf(getElseBranch(), inference);
  if (!thenYield || !elseYield) {
    return failure();
  }
  if (thenYield.getNumOperands() != getNumResults() ||
      elseYield.getNumOperands() != getNumResults()) { // [if.2]
    return inference.error() << "expects each branch to yield " << getNumResults()
                             << " values, got " << thenYield.getNumOperands() << " and "
                             << elseYield.getNumOperands();
  }
  for (unsigned i = 0; i < getNumResults(); ++i) {
    Type a = branchType(thenYield.getOperand(i), inference);
    Type b = branchType(elseYield.getOperand(i), inference);
    Type joined = a && b ? joinTypes(a, b) : a ? a : b;
    if (!a && !b) {
      joined = thenYield.getOperand(i).getType();
    }
    if (!joined) { // [if.2]
      return inference.error() << "expects both branches to yield the same type for output " << i
                               << ", got " << a << " and " << b;
    }
    inference.set(i, joined);
  }
  return success();
}

/// Returns the value of a known condition of one element.
static std::optional<bool> knownCondition(Value value, TypeInference &inference) {
  std::optional<Tensor> tensor = inference.value(value);
  if (!tensor || tensor->type() != ElementType::Bool || tensor->size() != 1) {
    return std::nullopt;
  }
  return tensor->asInt(0) != 0;
}

/// Returns the number of iterations, or kDynamic if a condition may end the
/// loop.
static int64_t tripsOf(LoopOp op, Value yieldedCondition, TypeInference &inference) {
  std::optional<bool> first =
      op.getCondition() ? knownCondition(op.getCondition(), inference) : true;
  if (first == false) {
    return 0;
  }
  bool isPassedOn = yieldedCondition == op.getBody().getArgument(1);
  bool isEndless =
      first && (isPassedOn || knownCondition(yieldedCondition, inference).value_or(false));
  std::optional<Shape> trips = inference.ints(op.getTripCount());
  return isEndless && trips && trips->size() == 1 ? std::max<int64_t>(trips->front(), 0) : kDynamic;
}

/// Returns the type of `slice` stacked `length` times along a new dimension.
static FailureOr<Type> stackedType(Type slice, int64_t axis, int64_t length,
                                   TypeInference &inference) {
  auto tensor = dyn_cast<TensorType>(slice);
  if (!tensor) {
    return FailureOr<Type>(inference.error()
                           << "expects a body that yields tensors as scan outputs, got " << slice);
  }
  auto ranked = dyn_cast<RankedTensorType>(slice);
  if (!ranked) {
    return FailureOr<Type>(slice);
  }
  if (axis < 0 || axis > ranked.getRank()) {
    return FailureOr<Type>(inference.error()
                           << "has output axis " << axis << ", expected a value in [0, "
                           << ranked.getRank() << "]");
  }
  Shape shape(ranked.getShape().begin(), ranked.getShape().end());
  shape.insert(shape.begin() + axis, length);
  return FailureOr<Type>(RankedTensorType::get(shape, ranked.getElementType()));
}

/// Sets a result to the join of the types of a value before the first iteration
/// and after each iteration.
static LogicalResult setCarried(unsigned result, Value before, Value after,
                                TypeInference &inference) {
  Type joined = joinTypes(inference.type(before), inference.type(after));
  if (!joined) {
    return inference.error() << "expects the body to yield carried value " << result
                             << " with type " << inference.type(before) << ", got "
                             << inference.type(after);
  }
  inference.set(result, joined);
  return success();
}

LogicalResult LoopOp::inferTypes(TypeInference &inference) {
  if (getCondition() && failed(checkCondition(getCondition(), inference))) {
    return failure();
  }
  auto trips = getTripCount() ? dyn_cast<TensorType>(inference.type(getTripCount())) : nullptr;
  if (getTripCount() && (!trips || !trips.getElementType().isInteger(64))) {
    return inference.error() << "expects a trip count of one int64 element, got "
                             << inference.type(getTripCount());
  }
  YieldOp yield = yieldOf(getBody(), inference);
  if (!yield) {
    return failure();
  }
  unsigned carried = getCarried().size();
  if (yield.getNumOperands() != 1 + getNumResults() || getNumResults() < carried ||
      getBody().getNumArguments() != 2 + carried) { // [loop.1]
    return inference.error() << "has a body with " << getBody().getNumArguments() << " inputs and "
                             << yield.getNumOperands() << " outputs, expected " << 2 + carried
                             << " inputs and at least " << 1 + carried << " outputs";
  }
  if (failed(checkCondition(yield.getOperand(0), inference))) {
    return failure();
  }
  for (unsigned i = 0; i < carried; ++i) {
    if (failed(setCarried(i, getCarried()[i], yield.getOperand(1 + i), inference))) {
      return failure();
    }
  }
  int64_t length = tripsOf(*this, yield.getOperand(0), inference);
  for (unsigned i = carried; i < getNumResults(); ++i) {
    FailureOr<Type> stacked =
        stackedType(inference.type(yield.getOperand(1 + i)), /*axis=*/0, length, inference);
    if (failed(stacked)) {
      return failure();
    }
    inference.set(i, *stacked);
  }
  return success();
}

/// Returns the number of steps: the size that all scanned inputs share along
/// their scan axes.
static FailureOr<int64_t> scanLength(ScanOp op, TypeInference &inference) {
  int64_t length = kDynamic;
  for (auto [i, input] : llvm::enumerate(op.getScanned())) {
    if (!inference.hasRank(input)) {
      continue;
    }
    Shape shape = inference.shape(input);
    int64_t axis = op.getInputAxes()[i];
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size())) {
      return FailureOr<int64_t>(inference.error()
                                << "scans input " << i << " along axis " << axis
                                << ", expected an axis in [0, " << shape.size() << ")");
    }
    if (length != kDynamic && shape[axis] != kDynamic && shape[axis] != length) {
      return FailureOr<int64_t>(inference.error()
                                << "has scanned inputs of lengths " << length << " and "
                                << shape[axis] << ", expected equal lengths");
    }
    length = shape[axis] == kDynamic ? length : shape[axis];
  }
  return length;
}

/// Checks that the numbers of axes, states, scanned inputs and yielded values
/// are consistent.
static LogicalResult checkScanCounts(ScanOp op, YieldOp yield, TypeInference &inference) {
  size_t states = op.getStates().size();
  size_t scanned = op.getScanned().size();
  bool isWhole = scanned > 0 && op->getNumResults() >= states &&
                 yield.getNumOperands() == op->getNumResults() &&
                 op.getBody().getNumArguments() == states + scanned &&
                 op.getInputAxes().size() == scanned && op.getInputReverse().size() == scanned;
  size_t stacked = op->getNumResults() - states;
  if (isWhole && op.getOutputAxes().size() == stacked && op.getOutputReverse().size() == stacked) {
    return success();
  }
  return inference.error()
         << "has " << states << " states, " << scanned << " scanned inputs and "
         << "a body with " << op.getBody().getNumArguments() << " inputs and "
         << yield.getNumOperands()
         << " outputs; these numbers do not match each other or the number of axes";
}

LogicalResult ScanOp::inferTypes(TypeInference &inference) {
  YieldOp yield = yieldOf(getBody(), inference);
  if (!yield || failed(checkScanCounts(*this, yield, inference))) {
    return failure();
  }
  unsigned states = getStates().size();
  for (unsigned i = 0; i < states; ++i) {
    if (failed(setCarried(i, getStates()[i], yield.getOperand(i), inference))) {
      return failure();
    }
  }
  FailureOr<int64_t> length = scanLength(*this, inference);
  if (failed(length)) {
    return failure();
  }
  for (unsigned i = states; i < getNumResults(); ++i) {
    FailureOr<Type> stacked = stackedType(inference.type(yield.getOperand(i)),
                                          getOutputAxes()[i - states], *length, inference);
    if (failed(stacked)) {
      return failure();
    }
    inference.set(i, *stacked);
  }
  return success();
}

LogicalResult KernelOp::inferTypes(TypeInference &inference) {
  YieldOp yield = yieldOf(getBody(), inference);
  if (!yield) {
    return failure();
  }
  if (yield.getNumOperands() != getNumResults()) {
    return inference.error() << "has " << getNumResults() << " results, but its region yields "
                             << yield.getNumOperands();
  }
  for (auto [i, value] : llvm::enumerate(yield.getValues())) {
    inference.set(i, inference.type(value));
  }
  return success();
}

} // namespace convoy::graph
