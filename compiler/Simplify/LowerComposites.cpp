// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers ops that are formulas of other graph ops to these ops. Kernels then
// support fewer ops, and Fusion can fuse the parts. Computes 16-bit floats in f32,
// because the composite op rounds once. LowerRecurrent.cpp lowers recurrent layers.

#include "Graph/Composite.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/LowerLearning.h"
#include "Simplify/LowerRandom.h"
#include "Simplify/LowerRecurrent.h"
#include "Simplify/LowerResize.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

#define GEN_PASS_DEF_LOWERCOMPOSITESPASS
#include "Simplify/Passes.h.inc"

namespace {

using Results = std::optional<SmallVector<Value>>;

/// Returns the type in which a formula on floats is computed.
ElementType wideType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 ? ElementType::F32 : type;
}

/// Lowers softmax along the axis:
///     %s = %x - max(%x);  %e = exp(%s);  %y = %e / sum(%e)
/// A log-softmax is %s - log(sum(%e)).
Results lowerSoftmax(TypedBuilder &b, SoftmaxOp op) {
  ElementType type = b.element(op.getInput());
  SmallVector<int64_t, 1> axes = {static_cast<int64_t>(op.getAxis())};
  Value x = b.cast(op.getInput(), wideType(type));
  Value shifted = b.sub(x, b.reduce(ReduceKind::Max, x, axes));
  Value exponential = b.unary(UnaryKind::Exp, shifted);
  Value sum = b.reduce(ReduceKind::Sum, exponential, axes);
  Value y = op.getIsLog() ? b.sub(shifted, b.unary(UnaryKind::Log, sum)) : b.div(exponential, sum);
  return {{b.cast(y, type)}};
}

/// Lowers batch_norm to (%x - mean) * factor + bias with one factor scale /
/// sqrt(variance + epsilon) per channel. Subtracting the mean first preserves the
/// precision of inputs with a large mean.
Results lowerBatchNorm(TypedBuilder &b, BatchNormOp op) {
  auto inputType = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!inputType || inputType.getRank() < 2) {
    return std::nullopt;
  }
  ElementType type = b.element(op.getInput());
  ElementType wide = wideType(type);
  SmallVector<int64_t> shape(inputType.getRank() - 1, 1);
  shape[0] = -1;
  auto perChannel = [&](Value vector) { return b.reshape(vector, shape); };
  Value variance = b.cast(op.getVariance(), wide);
  Value epsilon = b.scalarLike(variance, op.getEpsilon().convertToDouble());
  Value deviation = b.unary(UnaryKind::Sqrt, b.add(variance, epsilon));
  Value factor = b.div(b.cast(op.getScale(), wide), deviation);
  Value centered = b.sub(b.cast(op.getInput(), wide), perChannel(b.cast(op.getMean(), wide)));
  Value y = b.add(b.mul(centered, perChannel(factor)), perChannel(b.cast(op.getBias(), wide)));
  return {{b.cast(y, type)}};
}

/// Lowers one_hot to a comparison of the indices with 0, 1, ... along the new
/// dimension and a select between the two values.
Results lowerOneHot(TypedBuilder &b, OneHotOp op) {
  RankedTensorType indices = staticType(op.getIndices());
  RankedTensorType result = staticType(op.getResult());
  if (!indices || !result) {
    return std::nullopt;
  }
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t depth = result.getDimSize(axis);
  SmallVector<int64_t> single(indices.getShape());
  single.insert(single.begin() + axis, 1);
  SmallVector<int64_t> steps(result.getRank(), 1);
  steps[axis] = depth;
  Value index = b.reshape(b.cast(op.getIndices(), ElementType::I64), single);
  Value isNegative = b.binary(BinaryKind::Less, index, b.scalarLike(index, 0));
  Value counted = b.add(index, b.scalarLike(index, static_cast<double>(depth)));
  index = b.select(isNegative, counted, index);
  Value isHot = b.binary(BinaryKind::Equal, index, b.iota(depth, steps));
  auto valueAt = [&](int64_t i) { return b.reshape(b.slice(op.getValues(), 0, i, i + 1), {}); };
  return {{b.select(isHot, valueAt(1), valueAt(0))}};
}

/// Lowers trilu to a select between %x and 0 on a comparison of column and row + k. A k beyond the
/// matrix is clamped, because the sum of the row and an extreme k would overflow.
Results lowerTrilu(TypedBuilder &b, TriluOp op) {
  RankedTensorType type = staticType(op.getInput());
  if (!type || type.getRank() < 2) {
    return std::nullopt;
  }
  int64_t rows = type.getDimSize(type.getRank() - 2);
  int64_t columns = type.getDimSize(type.getRank() - 1);
  Value row = b.iota(rows, {rows, 1});
  if (op.getK()) {
    Value k = b.reshape(b.cast(op.getK(), ElementType::I64), {});
    k = b.binary(BinaryKind::Max, k, b.scalarLike(k, static_cast<double>(-rows)));
    k = b.binary(BinaryKind::Min, k, b.scalarLike(k, static_cast<double>(columns)));
    row = b.add(row, k);
  }
  BinaryKind kind = op.getUpper() ? BinaryKind::GreaterEqual : BinaryKind::LessEqual;
  Value isKept = b.binary(kind, b.iota(columns, {columns}), row);
  return {{b.select(isKept, op.getInput(), b.scalarLike(op.getInput(), 0))}};
}

/// Lowers reverse_sequence to gather_elements along time at n - 1 - t if t < n,
/// else at t.
Results lowerReverseSequence(TypedBuilder &b, ReverseSequenceOp op) {
  RankedTensorType type = staticType(op.getInput());
  if (!type) {
    return std::nullopt;
  }
  auto batchAxis = static_cast<int64_t>(op.getBatchAxis());
  auto timeAxis = static_cast<int64_t>(op.getTimeAxis());
  SmallVector<int64_t> batchShape(type.getRank(), 1);
  SmallVector<int64_t> timeShape(type.getRank(), 1);
  batchShape[batchAxis] = type.getDimSize(batchAxis);
  timeShape[timeAxis] = type.getDimSize(timeAxis);
  Value length = b.reshape(b.cast(op.getSequenceLens(), ElementType::I64), batchShape);
  Value time = b.iota(timeShape[timeAxis], timeShape);
  Value reversed = b.sub(b.sub(length, b.scalarLike(length, 1)), time);
  Value index = b.select(b.binary(BinaryKind::Less, time, length), reversed, time);
  Value indices = b.emit<ExpandOp>(index, b.ints(type.getShape()));
  return {{b.emit<GatherElementsOp>(op.getInput(), indices, timeAxis)}};
}

/// Lowers split to one slice per part.
Results lowerSplit(TypedBuilder &b, SplitOp op) {
  SmallVector<Value> parts;
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t begin = 0;
  for (Value part : op.getParts()) {
    RankedTensorType type = staticType(part);
    if (!type) {
      return std::nullopt;
    }
    int64_t end = begin + type.getDimSize(axis);
    parts.push_back(b.slice(op.getInput(), axis, begin, end));
    begin = end;
  }
  return parts;
}

/// Lowers compress with a constant condition to a gather at the positions where the
/// condition is true.
Results lowerCompress(TypedBuilder &b, CompressOp op) {
  std::optional<Tensor> condition = constantValue(op.getCondition());
  if (!condition || !staticType(op.getInput())) {
    return std::nullopt;
  }
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < condition->size(); ++i) {
    if (condition->asInt(i)) {
      kept.push_back(i);
    }
  }
  Value x = op.getAxis() ? op.getInput() : b.reshape(op.getInput(), {-1});
  return {{b.emit<GatherOp>(x, b.ints(kept), static_cast<int64_t>(op.getAxis().value_or(0)))}};
}

/// Returns the dimensions with `axis` first and the remaining dimensions in order.
SmallVector<int64_t> axisFirst(int64_t axis, int64_t rank) {
  SmallVector<int64_t> perm = {axis};
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis) {
      perm.push_back(i);
    }
  }
  return perm;
}

/// Lowers a scan to a scan along first dimensions, where slices are contiguous,
/// between transposes. Returns nullopt if all axes are already the first.
///
///     scan(s, x along 1) -> y along 1
///     transpose(scan(s, transpose(x, [1, 0])), [1, 0])
Results lowerScanAxes(TypedBuilder &b, ScanOp op) {
  auto isFirst = [](int64_t axis) { return axis == 0; };
  if ((llvm::all_of(op.getInputAxes(), isFirst) && llvm::all_of(op.getOutputAxes(), isFirst)) ||
      !llvm::all_of(op.getScanned(), staticType)) {
    return std::nullopt;
  }
  SmallVector<Value> scanned;
  for (auto [value, axis] : llvm::zip(op.getScanned(), op.getInputAxes())) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    scanned.push_back(axis == 0 ? value : b.transpose(value, axisFirst(axis, rank)));
  }
  SmallVector<int64_t> inputAxes(op.getInputAxes().size(), 0);
  SmallVector<int64_t> outputAxes(op.getOutputAxes().size(), 0);
  auto along =
      b.builder.create<ScanOp>(b.loc, op.getResultTypes(), op.getStates(), scanned, inputAxes,
                               op.getInputReverse(), outputAxes, op.getOutputReverse());
  along.getBody().takeBody(op.getBody());
  b.infer(along);
  SmallVector<Value> results(along.getResults());
  for (auto [i, axis] : llvm::enumerate(op.getOutputAxes())) {
    Value &result = results[op.getStates().size() + i];
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (axis != 0 && type) {
      SmallVector<int64_t> perm(type.getRank());
      for (auto [to, from] : llvm::enumerate(axisFirst(axis, type.getRank()))) {
        perm[from] = static_cast<int64_t>(to);
      }
      result = b.transpose(result, perm);
    }
  }
  return results;
}

/// Returns the values that replace the op's results, or nullopt if the op is not
/// lowered.
Results lower(TypedBuilder &b, Operation *op) {
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    return lowerSoftmax(b, softmax);
  }
  if (auto norm = dyn_cast<BatchNormOp>(op)) {
    return lowerBatchNorm(b, norm);
  }
  if (auto oneHot = dyn_cast<OneHotOp>(op)) {
    return lowerOneHot(b, oneHot);
  }
  if (auto trilu = dyn_cast<TriluOp>(op)) {
    return lowerTrilu(b, trilu);
  }
  if (auto reverse = dyn_cast<ReverseSequenceOp>(op)) {
    return lowerReverseSequence(b, reverse);
  }
  if (auto split = dyn_cast<SplitOp>(op)) {
    return lowerSplit(b, split);
  }
  if (auto compress = dyn_cast<CompressOp>(op)) {
    return lowerCompress(b, compress);
  }
  if (auto resize = dyn_cast<ResizeOp>(op)) {
    return lowerResize(b, resize);
  }
  if (auto trees = dyn_cast<TreeEnsembleOp>(op)) {
    return lowerTreeEnsemble(b, trees);
  }
  if (auto labels = dyn_cast<LabelEncodeOp>(op)) {
    return lowerLabelEncode(b, labels);
  }
  if (auto grams = dyn_cast<TfIdfOp>(op)) {
    return lowerTfIdf(b, grams);
  }
  if (auto random = dyn_cast<RandomOp>(op)) {
    return lowerRandom(b, random);
  }
  if (auto scan = dyn_cast<ScanOp>(op)) {
    return lowerScanAxes(b, scan);
  }
  return lowerRecurrent(b, op);
}

class LowerComposites : public impl::LowerCompositesPassBase<LowerComposites> {
  void runOnOperation() override {
    SmallVector<Operation *> composites;
    getOperation()->walk([&](Operation *op) {
      if (isa<SoftmaxOp, BatchNormOp, OneHotOp, TriluOp, ReverseSequenceOp, SplitOp, CompressOp,
              ResizeOp, TreeEnsembleOp, LabelEncodeOp, TfIdfOp, RandomOp, ScanOp, RNNOp, GRUOp,
              LSTMOp>(op)) {
        composites.push_back(op);
      }
    });
    for (Operation *op : composites) {
      OpBuilder builder(op);
      Location loc = op->getLoc();
      TypedBuilder typed(builder, isa<SoftmaxOp>(op) ? stepOf(loc, "softmax") : loc);
      Results results = lower(typed, op);
      if (typed.hasFailed) {
        return signalPassFailure();
      }
      if (results && TypeRange(ValueRange(*results)) == op->getResultTypes()) {
        op->replaceAllUsesWith(*results);
        op->erase();
      }
    }
  }
};

} // namespace
} // namespace convoy::simplify
