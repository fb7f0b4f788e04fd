// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the ops of domain ai.onnx.ml that prepare features: scaling, missing
// values, categories and selection. LearningLabels.cpp imports LabelEncoder.

#include "Import/Learning.h"
#include <cmath>
#include <set>

using namespace mlir;

namespace convoy::import {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

LogicalResult importArrayFeatureExtractor(NodeContext &n) {
  if (failed(n.require(0, "X")) || failed(n.require(1, "Y"))) {
    return failure();
  }
  FailureOr<Shape> shape = n.shape(n.input(0));
  FailureOr<Shape> indices = n.shape(n.input(1));
  if (failed(shape) || failed(indices)) {
    return failure();
  }
  if (shape->empty()) {
    return n.error() << "expects an input of rank 1 or more, got a scalar";
  }
  Value data = n.input(0);
  // A vector is one row of features.
  if (shape->size() == 1) {
    data = n.emit<graph::ReshapeOp>(data, n.ints({1, -1}), /*allowZero=*/false);
  }
  Value flat = n.emit<graph::ReshapeOp>(n.input(1), n.ints({-1}), /*allowZero=*/false);
  int64_t axis = std::max<int64_t>(shape->size() - 1, 1);
  return n.yield(n.emit<graph::GatherOp>(data, flat, axis));
}

LogicalResult importBinarizer(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  Value x = n.input(0);
  ElementType type = n.element(x);
  double least = n.floatAttr("threshold", 0);
  Value threshold = n.scalarLike(x, isFloat(type) ? least : std::floor(least));
  return n.yield(n.cast(n.binary(graph::BinaryKind::Greater, x, threshold), type));
}

/// Returns the size of a row of features, or kDynamic.
static int64_t rowSize(NodeContext &n) {
  return cast<RankedTensorType>(n.input(0).getType()).getShape().back();
}

/// Returns a list with one value for all features or one value per feature.
static FailureOr<Value> perFeature(NodeContext &n, StringRef name, const Tensor &values) {
  int64_t size = rowSize(n);
  int64_t count = values.size();
  if (count != 1 && size != graph::kDynamic && count != size) {
    return FailureOr<Value>(n.error()
                            << "has " << count << " values in '" << name
                            << "', expected 1 or one for each of " << size << " features");
  }
  return n.constant(values);
}

static Tensor floatsTensor(ArrayRef<double> values, ElementType type) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values)) {
    tensor.setDouble(i, value);
  }
  return tensor;
}

LogicalResult importScaler(NodeContext &n) {
  if (failed(checkFeatures(n))) {
    return failure();
  }
  ElementType type = n.element(n.input(0));
  ElementType wide = type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  Value x = n.cast(n.input(0), wide);
  for (auto [name, kind] :
       {std::pair(StringRef("offset"), BinaryKind::Sub), {"scale", BinaryKind::Mul}}) {
    SmallVector<double> values = n.floatsAttr(name);
    if (values.empty()) {
      continue;
    }
    FailureOr<Value> operand = perFeature(n, name, floatsTensor(values, wide));
    if (failed(operand)) {
      return failure();
    }
    x = n.binary(kind, x, *operand);
  }
  return n.yield(n.cast(x, ElementType::F32));
}

LogicalResult importNormalizer(NodeContext &n) {
  FailureOr<int64_t> norm = wordAttr(n, "norm", "MAX", {"MAX", "L1", "L2"});
  if (failed(norm) || failed(checkFeatures(n))) {
    return failure();
  }
  static constexpr ReduceKind kKinds[] = {ReduceKind::Max, ReduceKind::L1, ReduceKind::L2};
  Value x = n.cast(n.input(0), ElementType::F32);
  int64_t axis = cast<RankedTensorType>(n.input(0).getType()).getRank() - 1;
  Value size = n.reduce(kKinds[*norm], x, {axis}, /*keepDims=*/true);
  // A row of zeros stays as it is.
  Value isZero = n.binary(BinaryKind::Equal, size, n.scalarLike(size, 0));
  return n.yield(n.div(x, n.select(isZero, n.scalarLike(size, 1), size)));
}

/// Returns the values that replace missing features.
static FailureOr<Value> imputedValues(NodeContext &n) {
  ElementType type = n.element(n.input(0));
  StringRef name = isFloat(type) ? "imputed_value_floats" : "imputed_value_int64s";
  Tensor values = floatsTensor(n.floatsAttr("imputed_value_floats"), type);
  if (!isFloat(type)) {
    Shape ints = n.intsAttr(name);
    values = Tensor(type, {static_cast<int64_t>(ints.size())});
    for (auto [i, value] : llvm::enumerate(ints)) {
      values.setInt(i, value);
    }
  }
  if (values.isEmpty()) {
    return FailureOr<Value>(n.error() << "requires attribute '" << name << "' for features of type "
                                      << n.elementType(n.input(0)));
  }
  return perFeature(n, name, values);
}

LogicalResult importImputer(NodeContext &n) {
  if (failed(checkFeatures(n))) {
    return failure();
  }
  FailureOr<Value> imputed = imputedValues(n);
  if (failed(imputed)) {
    return failure();
  }
  Value x = n.input(0);
  ElementType type = n.element(x);
  if (isFloat(type)) {
    double replaced = n.floatAttr("replaced_value_float", 0);
    Value isMissing = std::isnan(replaced)
                          ? n.unary(UnaryKind::IsNaN, x)
                          : n.binary(BinaryKind::Equal, x, n.scalarLike(x, replaced));
    return n.yield(n.select(isMissing, *imputed, x));
  }
  int64_t replaced = n.intAttr("replaced_value_int64", 0);
  if (type == ElementType::I32 && !llvm::isInt<32>(replaced)) {
    return n.yield(x); // No feature has the value.
  }
  Value missing = n.constant(Tensor::scalar(type, replaced));
  return n.yield(n.select(n.binary(BinaryKind::Equal, x, missing), *imputed, x));
}

/// Returns the index of each string among the categories, or -1.
static Value categoryOf(NodeContext &n, const std::vector<std::string> &categories) {
  Shape positions = llvm::to_vector<6>(llvm::seq<int64_t>(0, categories.size()));
  return n.emit<graph::LabelEncodeOp>(n.input(0), n.constant(stringTensor(categories)),
                                      n.ints(positions), n.intScalar(-1));
}

LogicalResult importOneHotEncoder(NodeContext &n) {
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  bool isText = n.element(n.input(0)) == ElementType::String;
  std::vector<std::string> strings = n.stringsAttr("cats_strings");
  Shape categories = n.intsAttr("cats_int64s");
  if (isText ? strings.empty() : categories.empty()) {
    return n.error() << "requires attribute '" << (isText ? "cats_strings" : "cats_int64s")
                     << "' for an input of type " << n.elementType(n.input(0));
  }
  if (isText) {
    categories = llvm::to_vector<6>(llvm::seq<int64_t>(0, strings.size()));
  }
  if (std::set<int64_t>(categories.begin(), categories.end()).size() != categories.size()) {
    return n.error() << "has a category twice in 'cats_int64s', expected distinct categories";
  }
  Value index = isText ? categoryOf(n, strings) : n.cast(n.input(0), ElementType::I64);
  // A size 0 in the shape keeps the dimension of the input.
  Shape shape(*rank, 0);
  shape.push_back(1);
  Value column = n.emit<graph::ReshapeOp>(index, n.ints(shape), /*allowZero=*/false);
  Value isHot = n.binary(BinaryKind::Equal, column, n.ints(categories));
  return n.yield(n.cast(isHot, ElementType::F32));
}

/// Returns input i as rows of `size` floats: surplus elements are dropped and
/// missing ones are 0.
static FailureOr<Value> featureRows(NodeContext &n, unsigned i, int64_t size) {
  FailureOr<Shape> shape = n.shape(n.input(i));
  if (failed(shape)) {
    return failure();
  }
  bool isVector = shape->size() == 1;
  if (shape->empty() || size < 0) {
    return FailureOr<Value>(n.error() << "expects input " << i
                                      << " of rank 1 or more and a size of 0 or more, got "
                                      << n.input(i).getType() << " and size " << size);
  }
  Value x = n.cast(n.input(i), ElementType::F32);
  std::optional<int64_t> count =
      elementCount(ArrayRef<int64_t>(*shape).drop_front(isVector ? 0 : 1));
  if (!count) {
    return FailureOr<Value>(n.unsupported()
                            << "with a dynamic number of features in input " << i
                            << "; export the model with a fixed number of features");
  }
  if (shape->size() != 2) {
    bool hasRows = shape->front() != graph::kDynamic;
    x = n.reshape(x, {isVector ? 1 : hasRows ? shape->front() : -1, *count});
  }
  if (*count > size) {
    return n.slice(x, 1, 0, size);
  }
  return *count == size ? x
                        : n.emit<graph::PadOp>(x, n.ints({0, size - *count}), Value(), n.ints({1}),
                                               graph::PadMode::Constant);
}

LogicalResult importFeatureVectorizer(NodeContext &n) {
  Shape sizes = n.intsAttr("inputdimensions");
  if (sizes.size() != n.numInputs() || sizes.empty()) {
    return n.error() << "has " << sizes.size() << " values in 'inputdimensions', expected one for "
                     << "each of " << n.numInputs() << " inputs";
  }
  SmallVector<Value> parts;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    FailureOr<Value> rows = featureRows(n, i, size);
    if (failed(rows)) {
      return failure();
    }
    parts.push_back(*rows);
  }
  return n.yield(n.concat(parts, 1));
}

/// Imports the scores without the keys: Convoy has no maps.
LogicalResult importZipMap(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  SmallVector<std::string> keys;
  for (int64_t key : n.intsAttr("classlabels_int64s")) {
    keys.push_back(std::to_string(key));
  }
  llvm::append_range(keys, n.stringsAttr("classlabels_strings"));
  constexpr size_t kMostListed = 20;
  size_t count = keys.size();
  keys.resize(std::min(count, kMostListed));
  n.warning() << "returns the tensor of scores instead of a sequence of maps; its columns are the "
                 "classes "
              << llvm::join(keys, ", ")
              << (count > kMostListed ? " and " + std::to_string(count - kMostListed) + " more"
                                      : "");
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  return n.yield(*rank == 1 ? n.reshape(n.input(0), {1, -1}) : n.input(0));
}

} // namespace convoy::import
