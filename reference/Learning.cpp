// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Label tables and tree ensembles. Numbers that name nodes come from the model,
// so each is checked before it is followed.

#include "reference/Evaluation.h"
#include <cmath>
#include <map>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Copies one element; strings too.
void copyElement(Tensor &to, int64_t i, const Tensor &from, int64_t j) {
  if (to.type() == ElementType::String) {
    to.mutableStrings()[i] = from.strings()[j];
  } else if (isFloat(to.type())) {
    to.setDouble(i, from.asDouble(j));
  } else {
    to.setInt(i, from.asInt(j));
  }
}

/// An element as something maps can order; all NaNs are one key.
std::string keyOf(const Tensor &tensor, int64_t i) {
  if (tensor.type() == ElementType::String) {
    return tensor.strings()[i];
  }
  if (!isFloat(tensor.type())) {
    return std::to_string(tensor.asInt(i));
  }
  double value = tensor.asDouble(i);
  if (std::isnan(value)) {
    return "nan";
  }
  value = value == 0 ? 0 : value; // -0 is 0
  return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}

LogicalResult evaluateLabelEncode(graph::LabelEncodeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &keys = e.input(op.getKeys());
  const Tensor &values = e.input(op.getValues());
  const Tensor &otherwise = e.input(op.getDefaultValue());
  if (keys.size() != values.size() || otherwise.size() != 1) {
    return e.error() << "expects one value for each key and one default";
  }
  std::map<std::string, int64_t> table;
  for (int64_t i = 0; i < keys.size(); ++i) {
    table[keyOf(keys, i)] = i;
  }
  Tensor &result = e.output();
  for (int64_t i = 0; i < result.size(); ++i) {
    auto it = table.find(keyOf(input, i));
    if (it == table.end()) {
      copyElement(result, i, otherwise, 0);
    } else {
      copyElement(result, i, values, it->second);
    }
  }
  return success();
}

//===-- Trees ---------------------------------------------------------------===//

// ONNX's numbers.
enum class Mode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member };
enum class Aggregate { Average, Sum, Min, Max };
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

struct Forest {
  ArrayRef<int64_t> features, trueIds, falseIds, trueLeaves, falseLeaves, missingTracksTrue;
  ArrayRef<int64_t> targets, roots;
  ArrayRef<double> splits, modes, weights;
  std::vector<std::vector<double>> members; // per node, empty unless Member
  int64_t targetCount = 0;
  Aggregate aggregate = Aggregate::Sum;
  PostTransform postTransform = PostTransform::None;
};

/// Sets of a Member node follow each other, a NaN after each.
std::vector<std::vector<double>> readMembers(ArrayRef<double> modes, ArrayRef<double> values) {
  std::vector<std::vector<double>> members(modes.size());
  size_t at = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    if (modes[i] != static_cast<double>(Mode::Member)) {
      continue;
    }
    for (; at < values.size() && !std::isnan(values[at]); ++at) {
      members[i].push_back(values[at]);
    }
    ++at;
  }
  return members;
}

/// Reads the dictionary; lists of nodes must have one length.
FailureOr<Forest> readForest(graph::TreeEnsembleOp op, Evaluation &e) {
  DictionaryAttr trees = op.getTrees();
  bool isWhole = true;
  auto ints = [&](StringRef name) -> ArrayRef<int64_t> {
    auto list = trees.getAs<DenseI64ArrayAttr>(name);
    isWhole &= static_cast<bool>(list);
    return list ? list.asArrayRef() : ArrayRef<int64_t>();
  };
  auto doubles = [&](StringRef name) -> ArrayRef<double> {
    auto list = trees.getAs<DenseF64ArrayAttr>(name);
    isWhole &= static_cast<bool>(list);
    return list ? list.asArrayRef() : ArrayRef<double>();
  };
  auto number = [&](StringRef name) -> int64_t {
    auto value = trees.getAs<IntegerAttr>(name);
    isWhole &= static_cast<bool>(value);
    return value ? value.getInt() : 0;
  };
  Forest forest{
      ints("nodes_featureids"), ints("nodes_truenodeids"), ints("nodes_falsenodeids"),
      ints("nodes_trueleafs"),  ints("nodes_falseleafs"),  ints("nodes_missing_value_tracks_true"),
      ints("leaf_targetids"),   ints("tree_roots"),        doubles("nodes_splits"),
      doubles("nodes_modes"),   doubles("leaf_weights"),   {}};
  forest.members = readMembers(forest.modes, doubles("membership_values"));
  forest.targetCount = number("n_targets");
  forest.aggregate = static_cast<Aggregate>(number("aggregate_function"));
  forest.postTransform = static_cast<PostTransform>(number("post_transform"));
  size_t nodes = forest.features.size();
  for (size_t count : {forest.trueIds.size(), forest.falseIds.size(), forest.trueLeaves.size(),
                       forest.falseLeaves.size(), forest.missingTracksTrue.size(),
                       forest.splits.size(), forest.modes.size()}) {
    isWhole &= count == nodes;
  }
  if (!isWhole || forest.targets.size() != forest.weights.size()) {
    return FailureOr<Forest>(e.error() << "has a dictionary of trees with entries missing or of "
                                          "different lengths");
  }
  return forest;
}

bool takesTrue(const Forest &forest, size_t node, double value) {
  if (std::isnan(value) && forest.missingTracksTrue[node]) {
    return true;
  }
  double split = forest.splits[node];
  switch (static_cast<Mode>(static_cast<int>(forest.modes[node]))) {
  case Mode::LessEqual:
    return value <= split;
  case Mode::Less:
    return value < split;
  case Mode::GreaterEqual:
    return value >= split;
  case Mode::Greater:
    return value > split;
  case Mode::Equal:
    return value == split;
  case Mode::NotEqual:
    return value != split;
  case Mode::Member:
    return llvm::is_contained(forest.members[node], value);
  }
  return false;
}

/// Walks one tree to its leaf. A tree takes no more steps than there are nodes.
FailureOr<int64_t> findLeaf(const Forest &forest, int64_t root, const Tensor &input, int64_t row,
                            Evaluation &e) {
  int64_t nodes = forest.features.size();
  int64_t features = input.dim(1);
  int64_t node = root;
  for (int64_t step = 0; step < nodes; ++step) {
    bool isNode = node >= 0 && node < nodes && forest.features[node] >= 0 &&
                  forest.features[node] < features && forest.modes[node] >= 0 &&
                  forest.modes[node] <= 6;
    if (!isNode) {
      return FailureOr<int64_t>(e.error()
                                << "reaches tree node " << node << ", which is not one of " << nodes
                                << " or reads a feature beyond " << features);
    }
    double value = input.asDouble(row * features + forest.features[node]);
    bool isTrue = takesTrue(forest, node, value);
    bool isLeaf = isTrue ? forest.trueLeaves[node] : forest.falseLeaves[node];
    int64_t next = isTrue ? forest.trueIds[node] : forest.falseIds[node];
    if (!isLeaf) {
      node = next;
      continue;
    }
    bool isKnown = next >= 0 && next < static_cast<int64_t>(forest.targets.size()) &&
                   forest.targets[next] >= 0 && forest.targets[next] < forest.targetCount;
    return isKnown ? FailureOr<int64_t>(next)
                   : FailureOr<int64_t>(e.error() << "reaches leaf " << next
                                                  << ", which has no weight or target");
  }
  return FailureOr<int64_t>(e.error() << "has a tree whose nodes form a cycle");
}

/// Softmax over the scores, or over those that are not zero.
void applySoftmax(std::vector<double> &scores, bool keepsZeros) {
  double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double &score : scores) {
    bool isKept = keepsZeros && std::abs(score) < 1e-7;
    score = isKept ? 0 : std::exp(score - largest);
    sum += score;
  }
  for (double &score : scores) {
    score = sum ? score / sum : score;
  }
}

/// The inverse of the normal distribution times sqrt(2), by Newton's method on
/// erf; the interpreter need not be fast.
double probit(double p) {
  double x = 0;
  for (int i = 0; i < 100; ++i) {
    double error = 0.5 * std::erfc(-x / std::sqrt(2.0)) - p;
    x -= error / (std::exp(-x * x / 2) / std::sqrt(2 * M_PI));
  }
  return x;
}

void transformScores(std::vector<double> &scores, PostTransform transform) {
  switch (transform) {
  case PostTransform::None:
    return;
  case PostTransform::Softmax:
    return applySoftmax(scores, /*keepsZeros=*/false);
  case PostTransform::SoftmaxZero:
    return applySoftmax(scores, /*keepsZeros=*/true);
  case PostTransform::Logistic:
    for (double &score : scores) {
      score = 1 / (1 + std::exp(-score));
    }
    return;
  case PostTransform::Probit:
    for (double &score : scores) {
      score = probit(score);
    }
    return;
  }
}

FailureOr<std::vector<double>> scoreRow(const Forest &forest, const Tensor &input, int64_t row,
                                        Evaluation &e) {
  std::vector<double> scores(forest.targetCount);
  std::vector<bool> isSet(forest.targetCount);
  for (int64_t root : forest.roots) {
    FailureOr<int64_t> leaf = findLeaf(forest, root, input, row, e);
    if (failed(leaf)) {
      return failure();
    }
    int64_t target = forest.targets[*leaf];
    double weight = forest.weights[*leaf];
    double &score = scores[target];
    bool isFirst = !isSet[target];
    isSet[target] = true;
    switch (forest.aggregate) {
    case Aggregate::Min:
      score = isFirst ? weight : std::min(score, weight);
      break;
    case Aggregate::Max:
      score = isFirst ? weight : std::max(score, weight);
      break;
    default:
      score += weight;
    }
  }
  for (double &score : scores) {
    score = forest.aggregate == Aggregate::Average && !forest.roots.empty()
                ? score / static_cast<double>(forest.roots.size())
                : score;
  }
  transformScores(scores, forest.postTransform);
  return scores;
}

LogicalResult evaluateTreeEnsemble(graph::TreeEnsembleOp op, Evaluation &e) {
  FailureOr<Forest> forest = readForest(op, e);
  if (failed(forest)) {
    return failure();
  }
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  for (int64_t row = 0; row < input.dim(0) && !result.isEmpty(); ++row) {
    FailureOr<std::vector<double>> scores = scoreRow(*forest, input, row, e);
    if (failed(scores)) {
      return failure();
    }
    for (auto [i, score] : llvm::enumerate(*scores)) {
      result.setDouble(row * forest->targetCount + i, score);
    }
  }
  return success();
}

} // namespace

void addLearningEvaluators(EvaluatorTable &table) {
  table.add<graph::LabelEncodeOp, evaluateLabelEncode>();
  table.add<graph::TreeEnsembleOp, evaluateTreeEnsemble>();
}

} // namespace convoy::reference
