// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the support vector machines of domain ai.onnx.ml. The kernels and the
// decisions of all pairs of classes are matrix products; the probabilities of several
// classes are a loop that ends when the rows have converged.

#include "Import/Learning.h"
#include <numeric>

using namespace mlir;

namespace convoy::import {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::UnaryKind;

namespace {

enum class Kernel { Linear, Poly, Rbf, Sigmoid };

struct KernelForm {
  Kernel kernel;
  double gamma = 0, coef0 = 0, degree = 0;
};

FailureOr<KernelForm> readKernel(NodeContext &n) {
  FailureOr<int64_t> kind =
      wordAttr(n, "kernel_type", "LINEAR", {"LINEAR", "POLY", "RBF", "SIGMOID"});
  SmallVector<double> parameters = n.floatsAttr("kernel_params");
  if (failed(kind)) {
    return failure();
  }
  if (parameters.size() != 3 && !parameters.empty()) {
    return FailureOr<KernelForm>(n.error()
                                 << "has " << parameters.size()
                                 << " values in 'kernel_params', expected gamma, coef0 and degree");
  }
  parameters.resize(3, 0);
  return KernelForm{static_cast<Kernel>(*kind), parameters[0], parameters[1], parameters[2]};
}

Value power(NodeContext &n, Value x, double degree) {
  if (degree == 2) {
    return n.mul(x, x);
  }
  return degree == 3 ? n.mul(n.mul(x, x), x)
                     : n.binary(BinaryKind::Pow, x, n.scalarLike(x, degree));
}

/// Returns exp(-gamma |x - v|^2) for each pair of rows. The differences are computed
/// before they are squared, because |x|^2 - 2 x v + |v|^2 cancels.
Value rbfKernel(NodeContext &n, Value x, Value vectors, double gamma) {
  auto type = cast<RankedTensorType>(vectors.getType());
  int64_t features = type.getDimSize(1);
  Value difference =
      n.sub(n.reshape(x, {-1, 1, features}), n.reshape(vectors, {1, type.getDimSize(0), features}));
  Value distance =
      n.reduce(ReduceKind::Sum, n.mul(difference, difference), {2}, /*keepDims=*/false);
  return n.unary(UnaryKind::Exp, n.mul(distance, n.scalarLike(distance, -gamma)));
}

/// Returns the kernel of each row of `x` with each row of `vectors`.
Value kernelValues(NodeContext &n, Value x, Value vectors, const KernelForm &form) {
  if (form.kernel == Kernel::Rbf) {
    return rbfKernel(n, x, vectors, form.gamma);
  }
  Value dot = n.matmul(x, n.transpose(vectors, {1, 0}));
  if (form.kernel == Kernel::Linear) {
    return dot;
  }
  Value inner = n.add(n.mul(dot, n.scalarLike(dot, form.gamma)), n.scalarLike(dot, form.coef0));
  return form.kernel == Kernel::Poly ? power(n, inner, form.degree)
                                     : n.unary(UnaryKind::Tanh, inner);
}

/// Returns a list of floats as a matrix of `rows` rows. Emits an error if the list
/// does not have a column per feature.
FailureOr<Value> vectorsAttr(NodeContext &n, StringRef name, int64_t rows, Value x) {
  SmallVector<double> values = n.floatsAttr(name);
  auto count = static_cast<int64_t>(values.size());
  int64_t features = cast<RankedTensorType>(x.getType()).getDimSize(1);
  bool isKnown = features != graph::kDynamic;
  if (rows < 1 || values.empty() || count % rows != 0 || (isKnown && count != rows * features)) {
    return FailureOr<Value>(n.error() << "has " << count << " values in '" << name << "', expected "
                                      << rows << " rows of "
                                      << (isKnown ? std::to_string(features) : "F") << " features");
  }
  return matrixConstant(n, values, rows, count / rows);
}

/// Checks that the list `name` has `count` values or more.
LogicalResult expectCount(NodeContext &n, StringRef name, size_t got, int64_t count) {
  if (static_cast<int64_t>(got) >= count) {
    return success();
  }
  return n.error() << "has " << got << " values in '" << name << "', expected " << count;
}

//===-- Classifier ----------------------------------------------------------===//

/// A classifier that decides between each pair of classes by its support vectors.
class PairwiseClassifier {
public:
  PairwiseClassifier(NodeContext &n, int64_t classes)
      : n(n), classes(classes), pairs(classes * (classes - 1) / 2),
        perClass(n.intsAttr("vectors_per_class")), coefficients(n.floatsAttr("coefficients")),
        rho(n.floatsAttr("rho")) {}

  /// Returns whether the classifier has support vectors, or an invalid number of them.
  bool hasVectors() const {
    return llvm::any_of(perClass, [](int64_t count) { return count != 0; });
  }

  /// Checks the numbers of values, then lists the pairs.
  LogicalResult check() {
    int64_t vectors = 0;
    for (int64_t count : perClass) {
      if (count < 0 || count > std::numeric_limits<int32_t>::max()) {
        return n.error() << "has " << count << " in 'vectors_per_class', expected 0 or more";
      }
      vectors += count;
    }
    if (classes < 2 || static_cast<int64_t>(perClass.size()) != classes) {
      return n.error() << "has " << perClass.size() << " values in 'vectors_per_class' and "
                       << classes
                       << " class labels, expected one value for each of 2 or more labels";
    }
    if (failed(expectCount(n, "coefficients", coefficients.size(), (classes - 1) * vectors))) {
      return failure();
    }
    if (failed(expectCount(n, "rho", rho.size(), pairs))) {
      return failure();
    }
    for (int64_t i = 0; i < classes; ++i) {
      for (int64_t j = i + 1; j < classes; ++j) {
        pairOf.push_back({i, j});
      }
    }
    return success();
  }

  int64_t vectorCount() const {
    return std::accumulate(perClass.begin(), perClass.end(), int64_t(0));
  }

  /// Returns the decision of each pair: positive for the first class. The weights of
  /// pair (i, j) are row j - 1 of the coefficients at the vectors of class i and row i
  /// at the vectors of class j.
  Value decisions(Value kernels) {
    int64_t vectors = vectorCount();
    Tensor weights(ElementType::F32, {vectors, pairs});
    int64_t first = 0;
    for (int64_t c = 0; c < classes; ++c) {
      for (int64_t v = first; v < first + perClass[c]; ++v) {
        for (auto [p, pair] : llvm::enumerate(pairOf)) {
          auto [i, j] = pair;
          bool isIn = c == i || c == j;
          int64_t row = c == i ? j - 1 : i;
          weights.setDouble(v * pairs + p, isIn ? coefficients[row * vectors + v] : 0);
        }
      }
      first += perClass[c];
    }
    return n.add(n.matmul(kernels, n.constant(weights)),
                 matrixConstant(n, ArrayRef<double>(rho).take_front(pairs), 1, pairs));
  }

  /// Returns the class with most pairs, where ties go to the first class.
  Value winner(Value decision) {
    Value isFirst = n.cast(n.binary(BinaryKind::Greater, decision, n.scalarLike(decision, 0)),
                           ElementType::F32);
    Tensor gain(ElementType::F32, {pairs, classes});
    SmallVector<double> start(classes, 0);
    for (auto [p, pair] : llvm::enumerate(pairOf)) {
      gain.setDouble(p * classes + pair.first, 1);
      gain.setDouble(p * classes + pair.second, -1);
      start[pair.second] += 1;
    }
    Value votes = n.add(n.matmul(isFirst, n.constant(gain)), matrixConstant(n, start, 1, classes));
    return indexOfLargest(n, votes);
  }

  /// Returns the probability of each class by the method of Wu, Lin and Weng.
  FailureOr<Value> probabilities(Value decision) {
    SmallVector<double> a = n.floatsAttr("prob_a"), b = n.floatsAttr("prob_b");
    if (failed(expectCount(n, "prob_a", a.size(), pairs)) ||
        failed(expectCount(n, "prob_b", b.size(), pairs))) {
      return failure();
    }
    constexpr double kLeast = 1e-7;
    Value fitted =
        n.add(n.mul(decision, matrixConstant(n, ArrayRef(a).take_front(pairs), 1, pairs)),
              matrixConstant(n, ArrayRef(b).take_front(pairs), 1, pairs));
    Value p = n.unary(UnaryKind::Sigmoid, n.unary(UnaryKind::Neg, fitted));
    p = n.binary(BinaryKind::Max, p, n.scalarLike(p, kLeast));
    p = n.binary(BinaryKind::Min, p, n.scalarLike(p, 1 - kLeast));
    return couple(p);
  }

private:
  /// Returns r[n, i, j], the probability of class i against class j; the diagonal is 0.
  Value pairMatrix(Value p) {
    Value other = n.sub(n.scalarLike(p, 1), p);
    Value first = n.slice(p, 1, 0, 1);
    Value zero = n.sub(first, first);
    Shape source(classes * classes, 2 * pairs); // of the zero
    for (auto [k, pair] : llvm::enumerate(pairOf)) {
      auto [i, j] = pair;
      source[i * classes + j] = static_cast<int64_t>(k);
      source[j * classes + i] = pairs + static_cast<int64_t>(k);
    }
    Value flat = n.emit<graph::GatherOp>(n.concat({p, other, zero}, 1), n.ints(source), int64_t(1));
    return n.reshape(flat, {-1, classes, classes});
  }

  /// Minimizes p^T Q p on the simplex, where Q[i, i] is the sum of r[j, i]^2 and
  /// Q[i, j] is -r[j, i] r[i, j]. Rows that have converged do not change any more.
  Value couple(Value pairProbabilities) {
    Value r = pairMatrix(pairProbabilities);
    Value transposed = n.transpose(r, {0, 2, 1});
    Value diagonal =
        n.reduce(ReduceKind::Sum, n.mul(transposed, transposed), {2}, /*keepDims=*/true);
    Tensor identity(ElementType::F32, {classes, classes});
    for (int64_t i = 0; i < classes; ++i) {
      identity.setDouble(i * classes + i, 1);
    }
    Value q = n.sub(n.mul(n.constant(identity), diagonal), n.mul(transposed, r));
    Value like = n.reduce(ReduceKind::Sum, diagonal, {2}, /*keepDims=*/false);
    Value zero = n.mul(like, n.scalarLike(like, 0));
    Value start = n.add(zero, n.scalarLike(like, 1.0 / static_cast<double>(classes)));
    return iterate(q, start);
  }

  Value iterate(Value q, Value start) {
    constexpr int64_t kMostRounds = 100;
    if (n.hasFailed) {
      return start;
    }
    Value isRunning = n.scalar(ElementType::Bool, 1);
    auto loop = n.builder.create<graph::LoopOp>(n.loc, TypeRange(n.placeholder()),
                                                n.intScalar(kMostRounds), isRunning, start);
    {
      OpBuilder::InsertionGuard guard(n.builder);
      Type counter = RankedTensorType::get({}, n.builder.getI64Type());
      Type condition = RankedTensorType::get({}, n.builder.getI1Type());
      Block *body = n.builder.createBlock(
          &loop.getBody(), {}, {counter, condition, start.getType()}, {n.loc, n.loc, n.loc});
      SmallVector<Value> results = round(q, body->getArgument(2));
      n.builder.create<graph::YieldOp>(n.loc, results);
    }
    Operation *finished = n.finish(loop);
    return finished->getResult(0);
  }

  /// One round over all classes. Returns whether a row continues, and the values.
  SmallVector<Value> round(Value q, Value p) {
    double bound = 0.005 / static_cast<double>(classes);
    Value row = n.mul(q, n.reshape(p, {-1, 1, classes}));
    Value qp = n.reduce(ReduceKind::Sum, row, {2}, /*keepDims=*/false);
    Value pqp = n.reduce(ReduceKind::Sum, n.mul(p, qp), {1}, /*keepDims=*/true);
    Value error = n.reduce(ReduceKind::Max, n.unary(UnaryKind::Abs, n.sub(qp, pqp)), {1}, true);
    Value isActive = n.binary(BinaryKind::GreaterEqual, error, n.scalarLike(error, bound));
    Value next = p;
    Value one = n.scalarLike(p, 1), two = n.scalarLike(p, 2);
    for (int64_t i = 0; i < classes; ++i) {
      Value line = n.reshape(n.slice(q, 1, i, i + 1), {-1, classes});
      Value qii = n.slice(line, 1, i, i + 1);
      Value qpi = n.slice(qp, 1, i, i + 1);
      Value step = n.div(n.sub(pqp, qpi), qii);
      Value scale = n.add(one, step);
      SmallVector<double> unit(classes, 0);
      unit[i] = 1;
      next = n.div(n.add(next, n.mul(step, matrixConstant(n, unit, 1, classes))), scale);
      Value growth = n.mul(step, n.add(n.mul(step, qii), n.mul(two, qpi)));
      pqp = n.div(n.div(n.add(pqp, growth), scale), scale);
      qp = n.div(n.add(qp, n.mul(step, line)), scale);
    }
    Value worst = n.emit<graph::ReduceOp>(ReduceKind::Max, error, Value(), /*keepDims=*/false,
                                          /*noopWithEmptyAxes=*/false);
    Value continues = n.binary(BinaryKind::GreaterEqual, worst, n.scalarLike(worst, bound));
    return {continues, n.select(isActive, next, p)};
  }

  NodeContext &n;
  int64_t classes, pairs;
  Shape perClass;
  SmallVector<double> coefficients, rho;
  SmallVector<std::pair<int64_t, int64_t>> pairOf;
};

/// Imports a classifier without support vectors: one row of coefficients per class.
LogicalResult importLinearMachine(NodeContext &n, const ClassLabels &labels, Value x,
                                  PostTransform transform) {
  int64_t classes = labels.count();
  SmallVector<double> rho = n.floatsAttr("rho"), weights = n.floatsAttr("coefficients");
  FailureOr<Value> rows = vectorsAttr(n, "coefficients", classes, x);
  if (failed(expectCount(n, "rho", rho.size(), 1)) || failed(rows)) {
    return failure();
  }
  Value scores = kernelValues(n, x, *rows, {Kernel::Linear});
  scores = n.add(scores, n.scalarLike(scores, rho[0]));
  Value index = indexOfLargest(n, scores);
  if (classes == 2 && n.floatsAttr("prob_a").empty()) {
    // The second class wins if any score is above a threshold.
    bool isPositive = llvm::all_of(weights, [](double weight) { return weight >= 0; });
    Value largest = n.reduce(ReduceKind::Max, scores, {1}, /*keepDims=*/false);
    Value isSecond = n.binary(isPositive ? BinaryKind::GreaterEqual : BinaryKind::Greater, largest,
                              n.scalarLike(largest, isPositive ? 0.5 : 0));
    index = n.select(isSecond, n.scalarLike(index, 1), index);
  }
  Value result =
      classes == 1 ? transformColumn(n, scores, transform) : transformScores(n, scores, transform);
  return n.yield({labelsAt(n, labels, index), result});
}

} // namespace

LogicalResult importSVMClassifier(NodeContext &n) {
  FailureOr<PostTransform> transform = postTransformAttr(n);
  FailureOr<KernelForm> form = readKernel(n);
  FailureOr<ClassLabels> labels = classLabels(n, "classlabels_ints");
  FailureOr<Value> x = featureMatrix(n);
  if (failed(transform) || failed(form) || failed(labels) || failed(x)) {
    return failure();
  }
  PairwiseClassifier machine(n, labels->count());
  if (!machine.hasVectors()) {
    return importLinearMachine(n, *labels, *x, *transform);
  }
  if (failed(machine.check())) {
    return failure();
  }
  FailureOr<Value> vectors = vectorsAttr(n, "support_vectors", machine.vectorCount(), *x);
  if (failed(vectors)) {
    return failure();
  }
  Value decision = machine.decisions(kernelValues(n, *x, *vectors, *form));
  Value label = labelsAt(n, *labels, machine.winner(decision));
  FailureOr<Value> scores = decision;
  if (!n.floatsAttr("prob_a").empty()) {
    scores = machine.probabilities(decision);
  } else if (labels->count() == 2) {
    scores = twoClassScores(n, decision, /*isMixed=*/*transform == PostTransform::None, *transform);
    return failed(scores) ? failure() : n.yield({label, *scores});
  }
  return failed(scores) ? failure() : n.yield({label, transformScores(n, *scores, *transform)});
}

LogicalResult importSVMRegressor(NodeContext &n) {
  FailureOr<KernelForm> form = readKernel(n);
  FailureOr<Value> x = featureMatrix(n);
  SmallVector<double> rho = n.floatsAttr("rho");
  if (failed(form) || failed(x) || failed(expectCount(n, "rho", rho.size(), 1))) {
    return failure();
  }
  int64_t supports = n.intAttr("n_supports", 0);
  Value kernels = *x;
  if (supports > 0) {
    FailureOr<Value> vectors = vectorsAttr(n, "support_vectors", supports, *x);
    if (failed(vectors)) {
      return failure();
    }
    kernels = kernelValues(n, *x, *vectors, *form);
  }
  if (n.hasFailed) {
    return failure();
  }
  FailureOr<Value> weights = vectorsAttr(n, "coefficients", 1, kernels);
  if (failed(weights)) {
    return failure();
  }
  Value y = n.matmul(kernels, n.transpose(*weights, {1, 0}));
  y = n.add(y, n.scalarLike(y, rho[0]));
  if (n.intAttr("one_class", 0) != 0) {
    Value isInside = n.binary(BinaryKind::Greater, y, n.scalarLike(y, 0));
    y = n.select(isInside, n.scalarLike(y, 1), n.scalarLike(y, -1));
  }
  return n.yield(y);
}

} // namespace convoy::import
