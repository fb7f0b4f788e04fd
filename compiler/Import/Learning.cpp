// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the ops of domain ai.onnx.ml that appear in neural-network models.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {
namespace {

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
  Value threshold = n.scalarLike(x, n.floatAttr("threshold", 0));
  ElementType type = n.element(x);
  return n.yield(n.cast(n.binary(graph::BinaryKind::Greater, x, threshold), type));
}

Tensor stringTensor(const std::vector<std::string> &strings) {
  Tensor tensor(ElementType::String, {static_cast<int64_t>(strings.size())});
  tensor.mutableStrings() = strings;
  return tensor;
}

Tensor floatTensor(ArrayRef<double> values) {
  Tensor tensor(ElementType::F32, {static_cast<int64_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values)) {
    tensor.setDouble(i, value);
  }
  return tensor;
}

/// Reads one column of the table; `prefix` is "keys" or "values".
std::optional<Tensor> labelColumn(NodeContext &n, const std::string &prefix) {
  if (n.hasAttr(prefix + "_tensor")) {
    return n.tensorAttr(prefix + "_tensor");
  }
  if (n.hasAttr(prefix + "_strings")) {
    return stringTensor(n.stringsAttr(prefix + "_strings"));
  }
  if (n.hasAttr(prefix + "_int64s")) {
    return Tensor::vector(n.intsAttr(prefix + "_int64s"));
  }
  if (n.hasAttr(prefix + "_floats")) {
    return floatTensor(n.floatsAttr(prefix + "_floats"));
  }
  n.error() << "requires one of the attributes '" << prefix << "_tensor', '" << prefix
            << "_strings', '" << prefix << "_int64s' and '" << prefix << "_floats'";
  return std::nullopt;
}

/// Returns the value for elements that are not among the keys.
std::optional<Tensor> labelDefault(NodeContext &n, ElementType type) {
  if (n.hasAttr("default_tensor")) {
    std::optional<Tensor> tensor = n.tensorAttr("default_tensor");
    if (tensor && (tensor->type() != type || tensor->size() != 1)) {
      n.error() << "has attribute 'default_tensor' with " << tensor->size() << " elements of type "
                << name(tensor->type()) << ", expected one element of type " << name(type);
      return std::nullopt;
    }
    return tensor;
  }
  if (type == ElementType::String) {
    return stringTensor({n.stringAttr("default_string", "_Unused")});
  }
  if (isFloat(type)) {
    return Tensor::scalar(type, n.floatAttr("default_float", -0.0));
  }
  if (isInteger(type) || type == ElementType::Bool) {
    return Tensor::scalar(type, n.intAttr("default_int64", -1));
  }
  n.unsupported() << "with values of type " << name(type) << "; use a numeric type or strings";
  return std::nullopt;
}

/// Imports version 1, which maps strings to their positions or positions to
/// strings.
LogicalResult importOldLabelEncoder(NodeContext &n) {
  std::vector<std::string> classes = n.stringsAttr("classes_strings");
  Shape positions;
  for (size_t i = 0; i < classes.size(); ++i) {
    positions.push_back(i);
  }
  bool isText = n.element(n.input(0)) == ElementType::String;
  Tensor names = stringTensor(classes);
  Tensor numbers = Tensor::vector(positions);
  std::optional<Tensor> otherwise =
      labelDefault(n, isText ? ElementType::I64 : ElementType::String);
  if (n.hasFailed || !otherwise) {
    return failure();
  }
  return n.yield(n.emit<graph::LabelEncodeOp>(n.input(0), n.constant(isText ? names : numbers),
                                              n.constant(isText ? numbers : names),
                                              n.constant(*otherwise)));
}

LogicalResult importLabelEncoder(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  if (n.hasAttr("classes_strings")) {
    return importOldLabelEncoder(n);
  }
  std::optional<Tensor> keys = labelColumn(n, "keys");
  std::optional<Tensor> values = labelColumn(n, "values");
  if (n.hasFailed || !keys || !values) {
    return failure();
  }
  if (keys->size() != values->size()) {
    return n.error() << "expects as many keys as values, got " << keys->size() << " keys and "
                     << values->size() << " values";
  }
  std::optional<Tensor> otherwise = labelDefault(n, values->type());
  if (n.hasFailed || !otherwise) {
    return failure();
  }
  return n.yield(n.emit<graph::LabelEncodeOp>(n.input(0), n.constant(*keys), n.constant(*values),
                                              n.constant(*otherwise)));
}

//===-- Trees ---------------------------------------------------------------===//

/// Reads the attributes of a TreeEnsemble and reports every invalid attribute.
class TreeReader {
public:
  explicit TreeReader(NodeContext &n) : n(n) {}

  void ints(StringRef name, size_t count) {
    Shape list = n.intsAttr(name, Shape(count, 0));
    expectCount(name, list.size(), count);
    add(name, n.builder.getDenseI64ArrayAttr(list));
  }
  void number(StringRef name, int64_t otherwise, int64_t limit) {
    int64_t value = n.intAttr(name, otherwise);
    if (value < 0 || value >= limit) {
      n.error() << "has attribute '" << name << "' = " << value << ", expected a value in [0, "
                << limit << ")";
    }
    add(name, n.builder.getI64IntegerAttr(value));
  }
  /// Reads a tensor attribute as doubles. An absent attribute is empty.
  void doubles(StringRef name, std::optional<size_t> count) {
    std::optional<Tensor> tensor = n.tensorAttr(name);
    SmallVector<double> list;
    bool isNumeric = tensor && (isFloat(tensor->type()) || isInteger(tensor->type()));
    for (int64_t i = 0; isNumeric && i < tensor->size(); ++i) {
      list.push_back(tensor->asDouble(i));
    }
    expectCount(name, list.size(), count.value_or(list.size()));
    add(name, n.builder.getDenseF64ArrayAttr(list));
  }
  DictionaryAttr dictionary() { return n.builder.getDictionaryAttr(attributes); }

private:
  void expectCount(StringRef name, size_t got, size_t expected) {
    if (got != expected) {
      n.error() << "has " << got << " values in '" << name << "', expected " << expected;
    }
  }
  void add(StringRef name, Attribute value) {
    attributes.push_back(n.builder.getNamedAttr(name, value));
  }

  NodeContext &n;
  SmallVector<NamedAttribute> attributes;
};

LogicalResult importTreeEnsemble(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  if (!isFloat(n.element(n.input(0)))) {
    return n.error() << "expects features of a floating-point type, got " << n.input(0).getType();
  }
  size_t nodes = n.intsAttr("nodes_featureids").size();
  size_t leaves = n.intsAttr("leaf_targetids").size();
  TreeReader reader(n);
  for (StringRef name :
       {"nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_trueleafs",
        "nodes_falseleafs", "nodes_missing_value_tracks_true"}) {
    reader.ints(name, nodes);
  }
  reader.ints("leaf_targetids", leaves);
  reader.ints("tree_roots", n.intsAttr("tree_roots").size());
  reader.doubles("nodes_splits", nodes);
  reader.doubles("nodes_modes", nodes);
  reader.doubles("leaf_weights", leaves);
  reader.doubles("membership_values", std::nullopt);
  reader.number("n_targets", 1, int64_t(1) << 32);
  reader.number("aggregate_function", 1, 4);
  reader.number("post_transform", 0, 5);
  return n.hasFailed ? LogicalResult(failure())
                     : n.yield(n.emit<graph::TreeEnsembleOp>(n.input(0), reader.dictionary()));
}

} // namespace

llvm::ArrayRef<OpRow> learningRows() {
  static const OpRow kRows[] = {
      {"ArrayFeatureExtractor", importArrayFeatureExtractor, kWrongReadLimit, "ai.onnx.ml"},
      {"Binarizer", importBinarizer, "", "ai.onnx.ml"},
      {"LabelEncoder", importLabelEncoder, "", "ai.onnx.ml", /*runsOnCpu=*/false},
      {"TreeEnsemble", importTreeEnsemble, "", "ai.onnx.ml"},
  };
  return kRows;
}

} // namespace convoy::import
