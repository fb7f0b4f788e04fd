// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the tree ensembles of domain ai.onnx.ml. TreeEnsembleClassifier and
// TreeEnsembleRegressor are graph.tree_ensemble, then base values, labels and the
// transform of the scores as in ONNX Runtime.

#include "Import/LearningTreeForm.h"
#include <limits>
#include <set>

using namespace mlir;

namespace convoy::import {

using graph::BinaryKind;

namespace {

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

} // namespace

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

/// Returns the features in the type in which the trees compare: f64 stays.
static FailureOr<Value> treeFeatures(NodeContext &n) {
  if (failed(checkFeatures(n))) {
    return failure();
  }
  bool isWide = n.element(n.input(0)) == ElementType::F64;
  bool isVector = cast<RankedTensorType>(n.input(0).getType()).getRank() == 1;
  Value x = isWide ? n.input(0) : n.cast(n.input(0), ElementType::F32);
  x = isVector ? n.reshape(x, {1, -1}) : x;
  return n.hasFailed ? FailureOr<Value>(failure()) : x;
}

/// Checks the targets of all leaves and the features of all nodes.
static LogicalResult checkForm(NodeContext &n, const TreeForm &form, int64_t targets, Value x) {
  for (int64_t target : form.targets) {
    if (target < 0 || target >= targets) {
      return n.error() << "has a weight for target " << target << ", expected a target in [0, "
                       << targets << ")";
    }
  }
  int64_t features = cast<RankedTensorType>(x.getType()).getDimSize(1);
  for (int64_t feature : form.features) {
    if (feature < 0 || (features != graph::kDynamic && feature >= features)) {
      return n.error() << "has a node that reads feature " << feature << ", expected a feature of "
                       << x.getType();
    }
  }
  return success();
}

LogicalResult importTreeEnsembleRegressor(NodeContext &n) {
  FailureOr<PostTransform> transform = postTransformAttr(n);
  // In the order of graph::TreeAggregate.
  FailureOr<int64_t> aggregate =
      wordAttr(n, "aggregate_function", "SUM", {"AVERAGE", "SUM", "MIN", "MAX"});
  FailureOr<Value> x = treeFeatures(n);
  TreeFormReader reader(n, "target");
  if (failed(transform) || failed(aggregate) || failed(x) || failed(reader.read())) {
    return failure();
  }
  int64_t targets = n.intAttr("n_targets", 1);
  if (targets < 1) {
    return n.error() << "has attribute 'n_targets' = " << targets << ", expected 1 or more";
  }
  if (failed(checkForm(n, reader.form, targets, *x))) {
    return failure();
  }
  SmallVector<double> base = numbersAttr(n, "base_values");
  if (!base.empty() && static_cast<int64_t>(base.size()) != targets) {
    return n.error() << "has " << base.size() << " values in 'base_values', expected one for each "
                     << "of " << targets << " targets";
  }
  DictionaryAttr trees =
      treeAttributes(n, reader.form, targets, static_cast<graph::TreeAggregate>(*aggregate));
  Value scores = n.cast(n.emit<graph::TreeEnsembleOp>(*x, trees), ElementType::F32);
  if (!base.empty()) {
    scores = n.add(scores, matrixConstant(n, base, 1, targets));
  }
  if (!base.empty() && targets > 1) { // A target without a score has no base value.
    Value isScored = scoredTargets(n, *x, reader.form, targets);
    scores = n.select(isScored, scores, n.scalarLike(scores, 0));
  }
  return n.yield(targets == 1 ? transformColumn(n, scores, *transform)
                              : transformScores(n, scores, *transform));
}

//===-- Classifier ----------------------------------------------------------===//

namespace {

/// Computes labels and scores from the sums of the weights. A class has a score in a
/// row if a reached leaf has a weight for the class, whatever the weight.
class TreeClassifier {
public:
  TreeClassifier(NodeContext &n, const TreeForm &form, const ClassLabels &labels,
                 PostTransform transform)
      : n(n), form(form), labels(labels), transform(transform), classes(labels.count()),
        base(numbersAttr(n, "base_values")) {
    std::set<int64_t> ids(form.targets.begin(), form.targets.end());
    hasOneClass = classes == 2 && ids.size() == 1;
    isMixed = llvm::any_of(form.weights, [](double weight) { return weight < 0; });
  }

  LogicalResult build(Value x) {
    if (failed(check())) {
      return failure();
    }
    DictionaryAttr trees = treeAttributes(n, form, classes, graph::TreeAggregate::Sum);
    sums = n.cast(n.emit<graph::TreeEnsembleOp>(x, trees), ElementType::F32);
    isScored = scoredTargets(n, x, form, classes);
    if (classes == 1) {
      return buildOne();
    }
    return classes == 2 ? buildTwo() : buildMany();
  }

private:
  LogicalResult check() {
    auto count = static_cast<int64_t>(base.size());
    bool isAllowed = count == 0 || count == classes || (classes == 2 && count == 1);
    if (!isAllowed) {
      return n.error() << "has " << count << " values in 'base_values', expected one for each of "
                       << classes << " classes";
    }
    return success();
  }

  Value column(Value x, int64_t i) { return n.slice(x, 1, i, i + 1); }
  Value zero() { return n.scalar(ElementType::F32, 0); }
  Value number(double value) { return n.scalar(ElementType::F32, value); }

  /// Returns the label of the score of the positive class. Without a class that has
  /// all weights, the labels are 0 and 1, whatever the names of the classes.
  Value labelOf(Value score) {
    double threshold = hasOneClass && !isMixed ? 0.5 : 0;
    Value isPositive = n.binary(BinaryKind::Greater, score, number(threshold));
    Value index = n.cast(n.reshape(isPositive, {-1}), ElementType::I64);
    bool isPlain = !hasOneClass && labels.strings.empty();
    return isPlain ? index : labelsAt(n, labels, index);
  }

  LogicalResult buildOne() {
    Value score = base.empty() ? sums : n.add(sums, number(base[0]));
    Value isPositive = n.binary(BinaryKind::Greater, score, zero());
    Value index = n.cast(n.reshape(isPositive, {-1}), ElementType::I64);
    ClassLabels binary = labels.strings.empty()
                             ? ClassLabels{{0, 1}, {}}
                             : ClassLabels{{}, {labels.strings[0], labels.strings[0]}};
    return n.yield({labelsAt(n, binary, index), transformColumn(n, score, transform)});
  }

  LogicalResult buildMany() {
    Value scores = sums, counts = isScored;
    if (!base.empty()) {
      scores = n.add(sums, matrixConstant(n, base, 1, classes));
      counts = n.scalar(ElementType::Bool, 1);
    }
    Value candidates = n.select(counts, scores, number(-std::numeric_limits<float>::infinity()));
    return n.yield({labelsAt(n, labels, indexOfLargest(n, candidates)),
                    transformScores(n, scores, transform)});
  }

  LogicalResult buildTwo() {
    Value hasFirst = column(isScored, 0), hasSecond = column(isScored, 1);
    Value first = column(sums, 0), second = column(sums, 1);
    if (base.size() == 2) {
      // ONNX Runtime adds the second base value to the sum of the first class.
      Value joint = n.add(first, number(base[1]));
      first =
          n.select(hasSecond, n.unary(graph::UnaryKind::Neg, joint), n.add(first, number(base[0])));
      second = n.select(hasSecond, joint, n.add(second, number(base[1])));
    } else if (base.size() == 1) {
      first = n.add(first, number(base[0]));
    }
    // A class without a score counts as 0, without its base value.
    first = n.select(hasFirst, first, zero());
    second = n.select(hasSecond, second, zero());
    Value label = labelOf(n.select(hasSecond, second, first));
    Value both = transformScores(n, n.concat({first, second}, 1), transform);
    if (base.size() == 2 || staticScores(form, classes)[1].value_or(false)) {
      return n.yield({label, both});
    }
    if (!hasOneClass && base.size() == 1) {
      return n.unsupported() << "with one base value and leaves that score class 1 in some trees "
                                "only; export one base value per class";
    }
    FailureOr<Value> pair = twoClassScores(n, first, !hasOneClass || isMixed, transform);
    return failed(pair) ? failure() : n.yield({label, n.select(hasSecond, both, *pair)});
  }

  NodeContext &n;
  const TreeForm &form;
  const ClassLabels &labels;
  PostTransform transform;
  int64_t classes;
  SmallVector<double> base;
  bool hasOneClass = false; // all weights belong to one of two classes
  bool isMixed = false;     // a weight is negative
  Value sums, isScored;
};

} // namespace

LogicalResult importTreeEnsembleClassifier(NodeContext &n) {
  FailureOr<PostTransform> transform = postTransformAttr(n);
  FailureOr<ClassLabels> labels = classLabels(n, "classlabels_int64s");
  FailureOr<Value> x = treeFeatures(n);
  TreeFormReader reader(n, "class");
  if (failed(transform) || failed(labels) || failed(x) || failed(reader.read()) ||
      failed(checkForm(n, reader.form, labels->count(), *x))) {
    return failure();
  }
  return TreeClassifier(n, reader.form, *labels, *transform).build(*x);
}

} // namespace convoy::import
