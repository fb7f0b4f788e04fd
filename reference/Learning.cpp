// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates label tables and tree ensembles. Node indices come from the model,
// so the evaluator checks each index before use.

#include "Graph/Forest.h"
#include "reference/Evaluation.h"
#include <cmath>
#include <map>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Copies one element, including strings.
void copyElement(Tensor &to, int64_t i, const Tensor &from, int64_t j) {
  if (to.type() == ElementType::String) {
    to.mutableStrings()[i] = from.strings()[j];
  } else if (isFloat(to.type())) {
    to.setDouble(i, from.asDouble(j));
  } else {
    to.setInt(i, from.asInt(j));
  }
}

/// Returns an element as a map key; all NaNs are one key.
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
  value = value == 0 ? 0 : value; // -0 equals 0
  return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}

LogicalResult evaluateLabelEncode(graph::LabelEncodeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &keys = e.input(op.getKeys());
  const Tensor &values = e.input(op.getValues());
  const Tensor &otherwise = e.input(op.getDefaultValue());
  if (keys.size() != values.size() || otherwise.size() != 1) {
    return e.error() << "expects one value for each key and one default value";
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

using graph::Forest;
using Mode = graph::TreeMode;
using Aggregate = graph::TreeAggregate;
using PostTransform = graph::TreePostTransform;

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

/// Walks one tree to its leaf. The number of steps is limited to the number of
/// nodes.
FailureOr<int64_t> findLeaf(const Forest &forest, int64_t root, const Tensor &input, int64_t row,
                            Evaluation &e) {
  int64_t nodes = forest.nodeCount();
  int64_t features = input.dim(1);
  int64_t node = root;
  for (int64_t step = 0; step < nodes; ++step) {
    if (!forest.isNode(node, features)) {
      return FailureOr<int64_t>(e.error()
                                << "reaches tree node " << node << ", expected a node below "
                                << nodes << " that reads a feature below " << features);
    }
    double value = input.asDouble(row * features + forest.features[node]);
    bool isTrue = takesTrue(forest, node, value);
    bool isLeaf = isTrue ? forest.trueLeaves[node] : forest.falseLeaves[node];
    int64_t next = isTrue ? forest.trueIds[node] : forest.falseIds[node];
    if (!isLeaf) {
      node = next;
      continue;
    }
    return forest.isLeaf(next)
               ? FailureOr<int64_t>(next)
               : FailureOr<int64_t>(e.error() << "reaches leaf " << next
                                              << ", which has no weight or no target");
  }
  return FailureOr<int64_t>(e.error() << "has a tree whose nodes form a cycle");
}

/// Applies softmax to the scores, or to the non-zero scores.
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

/// Computes the inverse of the normal distribution times sqrt(2) with Newton's
/// method on erf; speed is not critical in the interpreter.
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

double combine(const Forest &forest, double score, double weight, bool isFirst) {
  switch (forest.aggregate) {
  case Aggregate::Min:
    return isFirst ? weight : std::min(score, weight);
  case Aggregate::Max:
    return isFirst ? weight : std::max(score, weight);
  default:
    return score + weight;
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
    for (int64_t entry : forest.entries(*leaf)) {
      int64_t target = forest.targets[entry];
      scores[target] = combine(forest, scores[target], forest.weights[entry], !isSet[target]);
      isSet[target] = true;
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
  std::optional<Forest> forest = graph::readForest(op);
  if (!forest) {
    return e.error() << "has missing attributes or attributes of different lengths in its trees";
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
