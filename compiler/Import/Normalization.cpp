// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports normalizations. Batch normalization and softmax have their own graph
// ops. The other normalizations become reductions and element-wise ops. They
// compute in the type that ONNX specifies (stash_type), or in f32 for 16-bit
// floats where ONNX specifies no type.

#include "Import/NormalizationForm.h"
#include "Import/OpTable.h"

using namespace mlir;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

/// Reshapes a vector with one entry per channel so that it broadcasts over N x
/// C x spatial... of the given rank.
Value perChannel(NodeContext &n, Value vector, int64_t rank) {
  SmallVector<int64_t> shape(std::max<int64_t>(rank - 1, 1), 1);
  shape[0] = -1;
  return n.reshape(vector, shape);
}

//===-- Batch normalization ----------------------------------------------------------------===//

/// Returns whether the node computes its statistics from the batch. Opsets
/// before 14 select training by naming outputs that only training has.
bool isTraining(NodeContext &n) {
  if (n.opset() >= 14) {
    return n.intAttr("training_mode", 0) != 0;
  }
  bool hasTrainingOutput = false;
  for (unsigned i = 1; i < n.numOutputs(); ++i) {
    hasTrainingOutput |= n.hasOutput(i);
  }
  return hasTrainingOutput && (n.opset() >= 7 || n.intAttr("is_test", 0) == 0);
}

/// The operands of BatchNormalization in one element type; x has rank 2 or
/// more.
struct BatchNormInputs {
  Value x, scale, bias, mean, variance;
};

Value emitBatchNorm(NodeContext &n, const BatchNormInputs &in, double epsilon) {
  return n.emit<graph::BatchNormOp>(in.x, in.scale, in.bias, in.mean, in.variance,
                                    llvm::APFloat(epsilon));
}

/// Imports opsets before 9 with spatial = 0: statistics per activation, with
/// the shape of one batch entry.
Value normalizeActivations(NodeContext &n, const BatchNormInputs &in, double epsilon) {
  Value deviation =
      n.unary(UnaryKind::Sqrt, n.add(in.variance, n.scalarLike(in.variance, epsilon)));
  Value normalized = n.div(n.sub(in.x, in.mean), deviation);
  return n.add(n.mul(normalized, in.scale), in.bias);
}

/// Imports training mode: normalizes with the statistics of the batch and
/// updates the running statistics.
SmallVector<Value> normalizeBatch(NodeContext &n, BatchNormInputs in, int64_t rank,
                                  double epsilon) {
  SmallVector<int64_t> axes = axesFrom(1, rank);
  axes[0] = 0; // all dimensions except the channels
  Value mean = n.reduce(ReduceKind::Mean, in.x, axes, /*keepDims=*/false);
  Value centered = n.sub(in.x, perChannel(n, mean, rank));
  Value variance = n.reduce(ReduceKind::Mean, n.mul(centered, centered), axes, /*keepDims=*/false);
  double momentum = n.floatAttr("momentum", 0.9);
  auto running = [&](Value old, Value batch) {
    return n.add(n.mul(old, n.scalarLike(old, momentum)),
                 n.mul(batch, n.scalarLike(batch, 1 - momentum)));
  };
  Value runningMean = running(in.mean, mean);
  Value runningVariance = running(in.variance, variance);
  in.mean = mean;
  in.variance = variance;
  return {emitBatchNorm(n, in, epsilon), runningMean, runningVariance, mean, variance};
}

LogicalResult importBatchNormalization(NodeContext &n) {
  static constexpr StringLiteral kInputs[] = {"X", "scale", "B", "mean", "var"};
  for (auto [i, name] : llvm::enumerate(kInputs)) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  if (*rank < 1) {
    return n.error() << "expects an input of rank 1 or more, got a scalar";
  }
  double epsilon = n.floatAttr("epsilon", 1e-5);
  ElementType type = n.element(n.input(0));
  // Statistics may be wider than the input. The computation uses the wider
  // type.
  ElementType wide = n.element(n.input(3));
  BatchNormInputs in = {n.cast(n.input(0), wide), n.cast(n.input(1), wide),
                        n.cast(n.input(2), wide), n.input(3), n.cast(n.input(4), wide)};
  if (*rank == 1) { // A vector has one channel.
    in.x = n.reshape(in.x, {-1, 1});
  }
  SmallVector<Value> outputs;
  if (isTraining(n)) {
    outputs = normalizeBatch(n, in, std::max<int64_t>(*rank, 2), epsilon);
  } else {
    bool isPerActivation = n.opset() < 9 && n.intAttr("spatial", 1) == 0;
    outputs = {isPerActivation ? normalizeActivations(n, in, epsilon)
                               : emitBatchNorm(n, in, epsilon)};
  }
  outputs[0] = n.cast(*rank == 1 ? n.reshape(outputs[0], {-1}) : outputs[0], type);
  return n.yield(outputs);
}

//===-- Normalizations by reduction --------------------------------------------------------===//

LogicalResult importInstanceNormalization(NodeContext &n) {
  if (failed(n.require(0, "input")) || failed(n.require(1, "scale")) || failed(n.require(2, "B"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  if (*rank < 3) {
    return n.error() << "expects an input of rank 3 or more (N C spatial...), got rank " << *rank;
  }
  ElementType type = n.element(n.input(0));
  ElementType wide = statisticsType(type);
  Value x = n.cast(n.input(0), wide);
  Statistics s = statisticsOf(n, x, axesFrom(2, *rank), n.floatAttr("epsilon", 1e-5));
  Value scale = perChannel(n, n.cast(n.input(1), wide), *rank);
  Value bias = perChannel(n, n.cast(n.input(2), wide), *rank);
  Value y = n.add(n.mul(n.mul(s.centered, s.inverseDeviation), scale), bias);
  return n.yield(n.cast(y, type));
}

/// Returns the attributes of a normalization over trailing axes.
FailureOr<TrailingNorm> readTrailing(NodeContext &n) {
  FailureOr<int64_t> rank = n.rank(n.input(0));
  FailureOr<ElementType> stash = n.elementTypeAttr("stash_type", ElementType::F32);
  if (failed(rank) || failed(stash)) {
    return failure();
  }
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", -1), *rank);
  if (failed(axis)) {
    return failure();
  }
  return TrailingNorm{axesFrom(*axis, *rank), *stash, n.floatAttr("epsilon", 1e-5)};
}

LogicalResult importLayerNormalization(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "Scale"))) {
    return failure();
  }
  FailureOr<TrailingNorm> norm = readTrailing(n);
  return failed(norm) ? failure()
                      : n.yield(normalizeLayer(n, n.input(0), n.input(1), n.input(2), *norm));
}

/// Imports RMSNormalization, and the form of ONNX Runtime, which has the inverse deviation as its
/// second output.
LogicalResult importRMSNormalization(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "scale"))) {
    return failure();
  }
  FailureOr<TrailingNorm> norm = readTrailing(n);
  if (failed(norm)) {
    return failure();
  }
  bool hasInverse = n.opType() != "RMSNormalization" && n.hasOutput(1);
  return n.yield(normalizeRms(n, n.input(0), n.input(1), *norm, hasInverse));
}

/// Returns attribute num_groups after checking that it divides the channels.
FailureOr<int64_t> groupsOf(NodeContext &n, ArrayRef<int64_t> shape) {
  int64_t groups = n.intAttr("num_groups", 0);
  if (shape.size() < 2) {
    return FailureOr<int64_t>(n.error()
                              << "expects an input of rank 2 or more, got rank " << shape.size());
  }
  bool isKnown = shape[1] != graph::kDynamic;
  if (groups <= 0 || (isKnown && shape[1] % groups != 0)) {
    return FailureOr<int64_t>(n.error()
                              << "expects attribute 'num_groups' to be a positive divisor of "
                              << (isKnown ? shape[1] : 0) << " channels, got " << groups);
  }
  return groups;
}

LogicalResult importGroupNormalization(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "scale")) || failed(n.require(2, "bias"))) {
    return failure();
  }
  FailureOr<Shape> shape = n.shape(n.input(0));
  FailureOr<ElementType> stash = n.elementTypeAttr(
      "stash_type", n.opset() < 21 ? statisticsType(n.element(n.input(0))) : ElementType::F32);
  if (failed(shape) || failed(stash)) {
    return failure();
  }
  FailureOr<int64_t> groups = groupsOf(n, *shape);
  if (failed(groups)) {
    return failure();
  }
  // Reshapes N x C x spatial... to N x groups x remaining elements.
  Value grouped = n.emit<graph::ReshapeOp>(n.cast(n.input(0), *stash), n.ints({0, *groups, -1}),
                                           /*allowZero=*/false);
  Statistics s = statisticsOf(n, grouped, {2}, n.floatAttr("epsilon", 1e-5));
  Value normalized = n.cast(n.mul(s.centered, s.inverseDeviation), n.element(n.input(0)));
  auto rank = static_cast<int64_t>(shape->size());
  if (n.opset() < 21) { // Before opset 21 there is one scale per group.
    Value y = n.add(n.mul(normalized, perChannel(n, n.input(1), 3)), perChannel(n, n.input(2), 3));
    return n.yield(reshapeLike(n, y, n.input(0)));
  }
  normalized = reshapeLike(n, normalized, n.input(0));
  return n.yield(
      n.add(n.mul(normalized, perChannel(n, n.input(1), rank)), perChannel(n, n.input(2), rank)));
}

LogicalResult importMeanVarianceNormalization(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  // Opsets before 9 select the axes with attribute across_channels.
  bool isPerChannel = n.opset() < 9 ? n.intAttr("across_channels", 0) == 0 : true;
  Shape axes = n.intsAttr("axes", isPerChannel ? Shape{0, 2, 3} : Shape{0, 1, 2, 3});
  bool keepsVariance = n.opset() < 9 && n.intAttr("normalize_variance", 1) == 0;
  ElementType type = n.element(n.input(0));
  Value x = n.cast(n.input(0), statisticsType(type));
  Value centered = n.sub(x, n.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true));
  if (keepsVariance) {
    return n.yield(n.cast(centered, type));
  }
  Value variance = n.reduce(ReduceKind::Mean, n.mul(centered, centered), axes, /*keepDims=*/true);
  // ONNX defines this constant as part of the op.
  Value deviation = n.add(n.unary(UnaryKind::Sqrt, variance), n.scalarLike(x, 1e-9));
  return n.yield(n.cast(n.div(centered, deviation), type));
}

LogicalResult importLpNormalization(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", -1), *rank);
  int64_t p = n.intAttr("p", 2);
  if (failed(axis)) {
    return failure();
  }
  if (p != 1 && p != 2) {
    return n.error() << "expects attribute 'p' to be 1 or 2, got " << p;
  }
  Value x = n.input(0);
  Value norm = n.reduce(p == 1 ? ReduceKind::L1 : ReduceKind::L2, x, {*axis}, /*keepDims=*/true);
  return n.yield(n.div(x, norm)); // NaN if all elements are 0, as ONNX specifies.
}

//===-- Softmax and its relatives ----------------------------------------------------------===//

/// Applies `body(x, axis)` along the node's axis. Before opset 13, all
/// dimensions from the axis on count as one dimension.
LogicalResult importAlongAxis(NodeContext &n, llvm::function_ref<Value(Value, int64_t)> body) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  bool flattens = n.opset() < 13;
  FailureOr<Value> y =
      alongAxis(n, n.input(0), n.intAttr("axis", flattens ? 1 : -1), flattens, body);
  return failed(y) ? failure() : n.yield(*y);
}

LogicalResult importSoftmax(NodeContext &n) {
  return importAlongAxis(n,
                         [&](Value x, int64_t axis) { return n.emit<graph::SoftmaxOp>(x, axis); });
}

LogicalResult importLogSoftmax(NodeContext &n) {
  return importAlongAxis(
      n, [&](Value x, int64_t axis) { return n.emit<graph::SoftmaxOp>(x, axis, /*isLog=*/true); });
}

/// Imports Hardmax: 1 at the first of the largest elements, 0 elsewhere.
LogicalResult importHardmax(NodeContext &n) {
  if (n.input(0) && !isFloat(n.element(n.input(0)))) {
    return n.error() << "expects an input of a floating-point type, got "
                     << n.elementType(n.input(0));
  }
  return importAlongAxis(n, [&](Value x, int64_t axis) {
    Value index = n.emit<graph::ArgReduceOp>(x, axis, /*keepDims=*/false, /*takesMax=*/true,
                                             /*selectLast=*/false);
    Value depth = n.emit<graph::ShapeOp>(x, axis, n.builder.getI64IntegerAttr(axis + 1));
    Value values = n.cast(n.ints({0, 1}), n.element(n.input(0)));
    return n.emit<graph::OneHotOp>(index, n.reshape(depth, {}), values, axis);
  });
}

constexpr OpRow kRows[] = {
    {"BatchNormalization", importBatchNormalization},
    {"GroupNormalization", importGroupNormalization},
    {"Hardmax", importHardmax},
    {"InstanceNormalization", importInstanceNormalization},
    {"LayerNormalization", importLayerNormalization},
    {"LogSoftmax", importLogSoftmax},
    {"LpNormalization", importLpNormalization},
    {"MeanVarianceNormalization", importMeanVarianceNormalization},
    {"RMSNormalization", importRMSNormalization},
    {"SimplifiedLayerNormalization", importRMSNormalization},
    {"SimplifiedLayerNormalization", importRMSNormalization, "", kMicrosoft},
    {"Softmax", importSoftmax},
};

} // namespace

llvm::ArrayRef<OpRow> normalizationRows() { return kRows; }

} // namespace convoy::import
