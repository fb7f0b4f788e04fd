// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches backwards from the product with the values:
//
//     query: transposes, scales --+
//     key:   transposes, scales --+-> matmul -> score ops -> max, sub, exp, sum, div -> weight ops
//     value: transposes --------------------------------------------> matmul <-+
//                                                                      +-> transposes

#include "Kernels/Attention/AttentionProblem.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace convoy::kernels {
namespace {

/// The longest chain of element-wise ops between a product and the softmax. Real networks have up
/// to 6 ops; the limit bounds the time of the search.
constexpr int64_t kMostScoreOps = 12;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

graph::BinaryOp binaryOf(Value value, BinaryKind kind) {
  auto op = value.getDefiningOp<graph::BinaryOp>();
  return op && op.getKind() == kind ? op : graph::BinaryOp();
}

/// Returns the reduction along the last dimension that defines the value, or null.
graph::ReduceOp lastReduction(Value value, ReduceKind kind) {
  auto op = value.getDefiningOp<graph::ReduceOp>();
  if (!op || op.getKind() != kind || !op.getKeepDims() || !op.getAxes()) {
    return {};
  }
  auto axes = graph::constantValue(op.getAxes());
  int64_t rank = typeOf(op.getInput()).getRank();
  bool isLast =
      axes && axes->size() == 1 && (axes->asInt(0) == -1 || axes->asInt(0) == rank - 1) && rank > 0;
  return isLast ? op : graph::ReduceOp();
}

/// A tensor that an op multiplies by a constant.
struct Scaled {
  Value operand;
  double factor;
};

/// Returns whether a factor is far from the limits of f32, so that the factors of queries and keys
/// commute with their products.
bool isModerate(double factor) {
  double magnitude = std::fabs(factor);
  return magnitude >= 0x1p-20 && magnitude <= 0x1p20;
}

/// Matches a multiplication by, or division by, one constant.
std::optional<Scaled> scaleOf(Operation *op) {
  auto binary = dyn_cast_or_null<graph::BinaryOp>(op);
  if (!binary || !typeOf(binary.getResult()).getElementType().isF32()) {
    return std::nullopt;
  }
  bool isDivisor = binary.getKind() == BinaryKind::Div;
  if (!isDivisor && binary.getKind() != BinaryKind::Mul) {
    return std::nullopt;
  }
  for (auto [constant, other] :
       {std::pair(binary.getRhs(), binary.getLhs()), std::pair(binary.getLhs(), binary.getRhs())}) {
    auto tensor = graph::constantValue(constant);
    bool isScale = tensor && tensor->size() == 1 && other.getType() == binary.getType();
    double number = isScale ? tensor->asDouble(0) : 0;
    if (isModerate(number) && !(isDivisor && constant == binary.getLhs())) {
      return Scaled{other, isDivisor ? 1 / number : number};
    }
  }
  return std::nullopt;
}

bool isLowest(Value value) {
  auto tensor = graph::constantValue(value);
  return tensor && tensor->size() == 1 && tensor->asDouble(0) == -HUGE_VAL;
}

/// Returns whether the op exchanges the last two dimensions.
bool transposesLast(graph::TransposeOp op) {
  ArrayRef<int64_t> perm = op.getPerm();
  auto rank = static_cast<int64_t>(perm.size());
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
    if (perm[i] != from) {
      return false;
    }
  }
  return rank >= 2;
}

class Matcher {
public:
  explicit Matcher(graph::MatMulOp product) : values(product) {}

  AttentionMatch run() {
    AttentionMatch match;
    match.hasSoftmax = findSoftmax();
    if (match.hasSoftmax) {
      match.reason = complete();
    } else {
      match.reason = "the kernel has no softmax between two products";
    }
    if (match.reason.empty()) {
      match.problem = std::move(p);
    }
    return match;
  }

private:
  void take(Operation *op) { ops.insert(op); }

  /// Returns whether the value is the quotient of a softmax along the last dimension, and takes its
  /// ops.
  bool takeSoftmax(Value value) {
    auto division = binaryOf(value, BinaryKind::Div);
    if (!division) {
      return false;
    }
    auto exponential = division.getLhs().getDefiningOp<graph::UnaryOp>();
    auto sum = lastReduction(division.getRhs(), ReduceKind::Sum);
    if (!exponential || exponential.getKind() != UnaryKind::Exp || !sum ||
        sum.getInput() != exponential.getResult()) {
      return false;
    }
    auto difference = binaryOf(exponential.getInput(), BinaryKind::Sub);
    auto largest = difference ? lastReduction(difference.getRhs(), ReduceKind::Max) : nullptr;
    if (!largest || largest.getInput() != difference.getLhs()) {
      return false;
    }
    for (Operation *op :
         std::initializer_list<Operation *>{largest, difference, exponential, sum, division}) {
      take(op);
    }
    p.input = difference.getLhs();
    p.largest = largest.getResult();
    p.exponential = exponential.getResult();
    p.sum = sum.getResult();
    p.quotient = division.getResult();
    return true;
  }

  /// Searches the element-wise ops from `value` backwards for the op that `isGoal` accepts and
  /// takes the ops on the paths to it. Operands that do not lead to it are operands of the group.
  bool search(Value value, ArrayRef<int64_t> shape, llvm::function_ref<bool(Value)> isGoal,
              int64_t depth = 0) {
    if (shapeOf(value) != shape || depth > kMostScoreOps) {
      return false;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != values->getBlock()) {
      return false;
    }
    if (ops.contains(op) || isGoal(value)) {
      return true;
    }
    if (graph::classify(op) != graph::OpClass::Elementwise || op->getNumResults() != 1) {
      return false;
    }
    bool isFound = false;
    for (Value operand : op->getOperands()) {
      isFound |=
          (!isFound || leadsToGroup(operand, depth)) && search(operand, shape, isGoal, depth + 1);
    }
    if (isFound) {
      take(op);
    }
    return isFound;
  }

  /// Returns whether an element-wise op that the value depends on is part of the group, so that the
  /// op must be too.
  bool leadsToGroup(Value value, int64_t depth) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != values->getBlock() || depth > kMostScoreOps) {
      return false;
    }
    return ops.contains(op) || (graph::classify(op) == graph::OpClass::Elementwise &&
                                llvm::any_of(op->getOperands(), [&](Value operand) {
                                  return leadsToGroup(operand, depth + 1);
                                }));
  }

  /// Skips the reshape that groups query heads by key head.
  Value ungrouped(Value value) {
    auto reshape = value.getDefiningOp<graph::ReshapeOp>();
    if (!reshape || typeOf(reshape.getInput()).getRank() < 2 ||
        shapeOf(reshape.getInput()).back() != shapeOf(value).back()) {
      return value;
    }
    take(reshape);
    return reshape.getInput();
  }

  bool findSoftmax() {
    if (typeOf(values.getLhs()).getRank() < 2 || typeOf(values.getRhs()).getRank() < 2) {
      return false;
    }
    take(values);
    p.weights = ungrouped(values.getLhs());
    return search(p.weights, shapeOf(p.weights), [&](Value value) { return takeSoftmax(value); });
  }

  /// Matches the operands. Returns the reason if the ops are not supported.
  std::string complete() {
    auto before = static_cast<int64_t>(ops.size());
    bool isFound = search(p.input, shapeOf(p.input), [&](Value value) {
      Value product = value;
      if (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {
        product = reshape.getInput();
      }
      scoresProduct = product.getDefiningOp<graph::MatMulOp>();
      if (!scoresProduct || shapeOf(product).back() != shapeOf(value).back() ||
          typeOf(scoresProduct.getLhs()).getRank() < 2 ||
          typeOf(scoresProduct.getRhs()).getRank() < 2) {
        return false;
      }
      p.scores = value;
      take(value.getDefiningOp());
      take(scoresProduct);
      return true;
    });
    if (!isFound) {
      return "the operand of the softmax is not computed from a product by element-wise ops";
    }
    bool isReshaped = p.scores != scoresProduct.getResult();
    p.scoreOps = static_cast<int64_t>(ops.size()) - before - (isReshaped ? 2 : 1);
    setMask();
    takeTransposedMasks(ops.getArrayRef().drop_front(before));
    skipScales();
    return setSizes();
  }

  /// Finds the mask if the last op before the softmax selects -inf or adds a tensor. All heads
  /// share a mask that excludes keys; tensors with heads are position biases.
  void setMask() {
    auto isMask = [&](Value value) {
      ArrayRef<int64_t> shape = shapeOf(value);
      return !ops.contains(value.getDefiningOp()) && !shape.empty() &&
             (shape.size() < 3 || shape[shape.size() - 3] == 1);
    };
    if (auto select = p.input.getDefiningOp<graph::SelectOp>()) {
      p.excludes = isLowest(select.getTrueValue());
      bool isOne = p.excludes != isLowest(select.getFalseValue());
      p.mask = isOne && isMask(select.getCondition()) ? select.getCondition() : Value();
    } else if (auto sum = binaryOf(p.input, BinaryKind::Add)) {
      p.mask = isMask(sum.getRhs()) ? sum.getRhs() : isMask(sum.getLhs()) ? sum.getLhs() : Value();
      p.isMaskAdded = true;
    }
  }

  /// Takes the transposes that compute masks, and lists the masks that are not transposed.
  void takeTransposedMasks(ArrayRef<Operation *> members) {
    SmallVector<Operation *> scoreOps(members.begin(), members.end());
    for (Operation *op : scoreOps) {
      bool isScoreOp = graph::classify(op) == graph::OpClass::Elementwise;
      for (OpOperand &operand : op->getOpOperands()) {
        ArrayRef<int64_t> shape = shapeOf(operand.get());
        bool isSquare = shape.size() >= 2 && shape.take_back(2) == shapeOf(p.input).take_back(2) &&
                        shape.back() > 1 && shape[shape.size() - 2] > 1;
        Operation *source = operand.get().getDefiningOp();
        if (!isScoreOp || !isSquare || (source && ops.contains(source))) {
          continue;
        }
        auto transpose = dyn_cast_or_null<graph::TransposeOp>(source);
        if (transpose && transposesLast(transpose) && transpose->hasOneUse() &&
            transpose->getBlock() == values->getBlock()) {
          take(transpose);
        } else {
          p.rowMasks.push_back(&operand);
        }
      }
    }
  }

  /// Moves constant factors of the scores to the queries.
  void skipScales() {
    while (p.scores.hasOneUse()) {
      Operation *user = *p.scores.getUsers().begin();
      auto scale = ops.contains(user) ? scaleOf(user) : std::nullopt;
      if (!scale || scale->operand != p.scores) {
        return;
      }
      p.factor *= scale->factor;
      p.scores = user->getResult(0);
      --p.scoreOps;
    }
  }

  std::string setSizes() {
    ArrayRef<int64_t> shape = shapeOf(p.scores);
    p.lead = Shape(shape.drop_back(2));
    p.queries = shape[shape.size() - 2];
    p.keys = shape.back();
    p.headSize = shapeOf(scoresProduct.getLhs()).back();
    p.valueSize = shapeOf(values.getResult()).back();
    for (Value value : {scoresProduct.getLhs(), scoresProduct.getRhs(), values.getRhs(), p.scores,
                        p.input, p.weights}) {
      if (!typeOf(value).getElementType().isF32()) {
        return "attention is supported for f32, got " + typeText(value);
      }
      if (typeOf(value).getNumElements() == 0) {
        return "attention is not supported for empty tensors";
      }
    }
    return setOperands();
  }

  static std::string typeText(Value value) {
    std::string text;
    llvm::raw_string_ostream(text) << typeOf(value).getElementType();
    return text;
  }

  std::string setOperands() {
    p.query = operandOf(scoresProduct.getLhs(), /*mayScale=*/true);
    p.key = operandOf(scoresProduct.getRhs(), /*mayScale=*/true);
    p.value = operandOf(values.getRhs(), /*mayScale=*/false);
    for (Value base : {p.query.base, p.key.base, p.value.base}) {
      if (base.getDefiningOp<graph::ConstantOp>() && typeOf(base).getNumElements() == 1) {
        return "an operand is a constant of one element, which has no memory";
      }
    }
    bool isRegular = alignHeads(p.query.view, scoresProduct, p.queries) &&
                     repeatHeads(p.key.view, scoresProduct) && repeatHeads(p.value.view, values) &&
                     setResult();
    int64_t first = static_cast<int64_t>(p.lead.size());
    for (const StridedView *view : {&p.query.view, &p.key.view, &p.value.view, &p.result}) {
      isRegular = isRegular && view->isEven(first) && view->isEven(first + 1);
    }
    if (!isRegular) {
      return "the heads, queries or keys are not a regular view of an operand";
    }
    p.ops.assign(ops.begin(), ops.end());
    llvm::sort(p.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return whyNotAlone();
  }

  /// Returns the batch dimensions of a product.
  static ArrayRef<int64_t> batchOf(graph::MatMulOp product) {
    return shapeOf(product.getResult()).drop_back(2);
  }

  /// Reshapes the view of the left operand of a product to lead x rows x columns.
  bool alignHeads(StridedView &view, graph::MatMulOp product, int64_t rows) {
    int64_t columns = view.size(view.rank() - 1);
    SmallVector<int64_t> shape(batchOf(product));
    shape.append({view.size(view.rank() - 2), columns});
    view.expand(shape);
    SmallVector<int64_t> target(p.lead);
    target.append({rows, columns});
    return view.reshape(target);
  }

  /// Repeats each head of the right operand of a product for all query heads that share it.
  bool repeatHeads(StridedView &view, graph::MatMulOp product) {
    ArrayRef<int64_t> rows = shapeOf(product.getResult()).take_back(2);
    if (rows[0] % p.queries != 0) {
      return false;
    }
    int64_t depth = view.size(view.rank() - 2);
    int64_t columns = view.size(view.rank() - 1);
    SmallVector<int64_t> shape(batchOf(product));
    shape.append({depth, columns});
    view.expand(shape);
    // Insert the dimension of the query heads that share a key head, and join it with the heads.
    SmallVector<int64_t> wide(batchOf(product));
    wide.append({rows[0] / p.queries, depth, columns});
    SmallVector<int64_t> narrow(batchOf(product));
    narrow.append({1, depth, columns});
    if (!view.reshape(narrow)) {
      return false;
    }
    view.expand(wide);
    SmallVector<int64_t> target(p.lead);
    target.append({depth, columns});
    return view.reshape(target);
  }

  /// Takes the movement ops and scales that compute an operand of a product if nothing else reads
  /// their results.
  AttentionOperand operandOf(Value value, bool mayScale) {
    SmallVector<Operation *> chain; // from the product to the source
    Value base = value;
    while (Operation *op = base.getDefiningOp()) {
      auto scale = mayScale ? scaleOf(op) : std::nullopt;
      bool isView = isa<graph::TransposeOp, graph::ReshapeOp, graph::ExpandOp>(op);
      if ((!scale && !isView) || !base.hasOneUse() || op->getBlock() != values->getBlock()) {
        break;
      }
      chain.push_back(op);
      base = scale ? scale->operand : op->getOperand(0);
    }
    StridedView view;
    while (!viewThrough(chain, base, view)) {
      base = chain.pop_back_val()->getResult(0);
    }
    // A reshape of the source costs nothing outside the kernel.
    while (!chain.empty() && isa<graph::ReshapeOp>(chain.back())) {
      base = chain.pop_back_val()->getResult(0);
    }
    (void)viewThrough(chain, base, view);
    for (Operation *op : llvm::reverse(chain)) {
      take(op);
      if (auto scale = mayScale ? scaleOf(op) : std::nullopt) {
        p.factor *= scale->factor;
      }
    }
    return {base, view};
  }

  static bool viewThrough(ArrayRef<Operation *> chain, Value base, StridedView &view) {
    view = StridedView::ofShape(shapeOf(base));
    return llvm::all_of(llvm::reverse(chain),
                        [&](Operation *op) { return isa<graph::BinaryOp>(op) || view.apply(op); });
  }

  /// Takes the movement ops after the product with the values.
  bool setResult() {
    SmallVector<Operation *> chain;
    Value last = values.getResult();
    while (last.hasOneUse()) {
      Operation *user = *last.getUsers().begin();
      bool isView = isa<graph::TransposeOp, graph::ReshapeOp>(user);
      if (!isView || user->getBlock() != values->getBlock() || user->getOperand(0) != last) {
        break;
      }
      chain.push_back(user);
      last = user->getResult(0);
    }
    for (;; chain.pop_back()) {
      while (!chain.empty() && isa<graph::ReshapeOp>(chain.back())) {
        chain.pop_back();
      }
      p.output = chain.empty() ? values.getResult() : chain.back()->getResult(0);
      p.result = StridedView::ofShape(shapeOf(p.output));
      bool isView =
          llvm::all_of(llvm::reverse(chain), [&](Operation *op) { return p.result.undo(op); }) &&
          alignHeads(p.result, values, p.queries);
      if (isView || chain.empty()) {
        for (Operation *op : chain) {
          take(op);
        }
        return isView;
      }
    }
  }

  /// Returns the reason if an op outside the group reads a value of the group other than the
  /// result.
  std::string whyNotAlone() {
    for (Operation *op : p.ops) {
      for (Operation *user : op->getUsers()) {
        if (op->getResult(0) != p.output && !ops.contains(user)) {
          return "an op outside the attention reads the result of " +
                 op->getName().getStringRef().str();
        }
      }
    }
    return "";
  }

  graph::MatMulOp values, scoresProduct;
  llvm::SetVector<Operation *> ops;
  AttentionProblem p;
};

} // namespace

int64_t AttentionProblem::heads() const { return elementCount(lead).value_or(0); }

bool AttentionProblem::hasSquareMask() const {
  return mask && typeOf(mask).getRank() >= 2 && shapeOf(mask).take_back(2).front() > 1 &&
         shapeOf(mask).back() > 1;
}

AttentionMatch matchAttention(graph::MatMulOp product) { return Matcher(product).run(); }

} // namespace convoy::kernels
