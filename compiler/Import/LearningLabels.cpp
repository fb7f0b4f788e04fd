// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports LabelEncoder of domain ai.onnx.ml, and maps class indices to the labels of
// classifiers. Strings run in the reference interpreter only.

#include "Import/Learning.h"

using namespace mlir;

namespace convoy::import {

Tensor stringTensor(const std::vector<std::string> &strings) {
  Tensor tensor(ElementType::String, {static_cast<int64_t>(strings.size())});
  tensor.mutableStrings() = strings;
  return tensor;
}

namespace {

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

} // namespace

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

FailureOr<ClassLabels> classLabels(NodeContext &n, StringRef intsName) {
  ClassLabels labels{n.intsAttr(intsName), n.stringsAttr("classlabels_strings")};
  if (labels.ints.empty() != labels.strings.empty()) {
    return labels;
  }
  return FailureOr<ClassLabels>(n.error()
                                << "requires either attribute '" << intsName
                                << "' or attribute 'classlabels_strings' with one label per class");
}

Value labelsAt(NodeContext &n, const ClassLabels &labels, Value index) {
  Shape positions = llvm::to_vector<6>(llvm::seq<int64_t>(0, labels.count()));
  if (labels.strings.empty()) {
    return labels.ints == positions
               ? index
               : n.emit<graph::GatherOp>(n.ints(labels.ints), index, int64_t(0));
  }
  return n.emit<graph::LabelEncodeOp>(index, n.ints(positions),
                                      n.constant(stringTensor(labels.strings)),
                                      n.constant(stringTensor({""})));
}

} // namespace convoy::import
