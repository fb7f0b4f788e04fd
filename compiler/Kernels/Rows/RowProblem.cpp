// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a kernel into passes over the elements of a row. A reduction ends a pass: values that
// depend on its result belong to a later pass.

#include "Kernels/Rows/RowProblem.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "Kernels/OpCycles.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>

using namespace mlir;
using convoy::graph::ActivationKind;
using convoy::graph::BinaryKind;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace convoy::kernels {
namespace {

/// The values of an op at least this expensive are kept for later passes. A store and a load of a
/// vector take about this many cycles.
constexpr double kKeptCycles = 4;

ArrayRef<int64_t> dimsOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// Returns which dimensions of its input an op reduces.
SmallVector<bool> reducedDims(graph::ReduceOp op) {
  int64_t rank = dimsOf(op.getInput()).size();
  std::optional<Tensor> axes = op.getAxes() ? graph::constantValue(op.getAxes()) : std::nullopt;
  Shape list = axes ? axes->ints() : Shape();
  SmallVector<bool> isReduced(rank, list.empty() && !op.getNoopWithEmptyAxes());
  for (int64_t axis : list) {
    isReduced[axis < 0 ? axis + rank : axis] = true;
  }
  return isReduced;
}

std::string whyNotReduction(graph::ReduceOp op) {
  if (op.getAxes() && !graph::constantValue(op.getAxes())) {
    return "a reduction has axes that are not constant";
  }
  if (op.getKind() == ReduceKind::Prod || op.getKind() == ReduceKind::LogSumExp) {
    return "a reduction is neither a sum, a maximum nor a minimum";
  }
  ElementType type = fromMlir(cast<TensorType>(op.getInput().getType()).getElementType());
  if (!isFloat(type) && bitWidth(type) < 32) {
    return "a reduction is of integers narrower than 32 bits";
  }
  return "";
}

/// Returns whether the value is the sum of a softmax: the largest term is 1.
bool isSoftmaxSum(Value value) {
  auto sum = value.getDefiningOp<graph::ReduceOp>();
  auto exp = sum && sum.getKind() == ReduceKind::Sum
                 ? sum.getInput().getDefiningOp<graph::UnaryOp>()
                 : graph::UnaryOp();
  auto sub = exp && exp.getKind() == UnaryKind::Exp
                 ? exp.getInput().getDefiningOp<graph::BinaryOp>()
                 : graph::BinaryOp();
  auto max = sub && sub.getKind() == BinaryKind::Sub ? sub.getRhs().getDefiningOp<graph::ReduceOp>()
                                                     : graph::ReduceOp();
  return max && max.getKind() == ReduceKind::Max && max.getInput() == sub.getLhs();
}

/// Returns whether a product with the reciprocal gives the quotient of two f32 numbers up to one
/// more rounding. A square root is zero, infinite or far from the limits of f32.
bool hasReciprocal(graph::BinaryOp op) {
  Value divisor = op.getRhs();
  if (op.getKind() != BinaryKind::Div ||
      !cast<TensorType>(divisor.getType()).getElementType().isF32()) {
    return false;
  }
  auto unary = divisor.getDefiningOp<graph::UnaryOp>();
  return isSoftmaxSum(divisor) || (unary && unary.getKind() == UnaryKind::Sqrt);
}

/// Describes a kernel, whose reductions keep their dimensions.
class RowAnalysis {
public:
  RowAnalysis(Block &body, RowProblem &problem) : body(body), problem(problem) {}

  std::string run() {
    std::string reason = findRow();
    reason = reason.empty() ? checkValues() : reason;
    reason = reason.empty() ? checkResults() : reason;
    if (reason.empty()) {
      mergeDimensions();
      findPasses();
    }
    return reason;
  }

private:
  std::string findRow() {
    SmallVector<bool> isReduced;
    for (auto reduce : body.getOps<graph::ReduceOp>()) {
      std::string reason = whyNotReduction(reduce);
      if (!reason.empty()) {
        return reason;
      }
      SmallVector<bool> own = reducedDims(reduce);
      Shape shape(dimsOf(reduce.getInput()));
      for (auto [reduced, size] : llvm::zip(own, shape)) {
        reduced = reduced && size != 1;
      }
      if (!full.empty() && (shape != full || own != isReduced)) {
        return "two reductions have different shapes or axes";
      }
      full = shape;
      isReduced = own;
    }
    if (isReduced.empty()) {
      return "the kernel has no reduction";
    }
    first = llvm::find(isReduced, true) - isReduced.begin();
    for (auto [reduced, size] : llvm::zip(ArrayRef(isReduced).drop_front(first),
                                          ArrayRef<int64_t>(full).drop_front(first))) {
      if (!reduced && size != 1) {
        return "a reduction is not over the last dimensions";
      }
    }
    // Rows of one element leave nothing to reduce.
    bool isEmpty = first == static_cast<int64_t>(full.size()) || elementCount(full) == 0;
    return isEmpty ? "a reduction has fewer than two elements per result" : "";
  }

  std::string checkValues() {
    for (Value argument : body.getArguments()) {
      if (graph::layoutOf(argument.getType())) {
        return "an operand is not planar";
      }
    }
    for (Operation &op : body.without_terminator()) {
      bool isKnown = isa<graph::ConstantOp, graph::ReduceOp>(op) || graph::collapsesDimensions(&op);
      if (!isKnown) {
        return "the kernel contains " + op.getName().getStringRef().str() +
               ", which is neither element-wise nor a reduction";
      }
      bool isStatic = isa<graph::ConstantOp>(op) && isAxes(op);
      if (!isStatic && !llvm::all_of(op.getResults(), [&](Value v) { return fitsRow(v); })) {
        return "a value does not have the shape of the reduced tensor";
      }
    }
    for (Value argument : body.getArguments()) {
      if (!fitsRow(argument)) {
        return "an operand does not broadcast to the reduced tensor";
      }
    }
    return "";
  }

  std::string checkResults() {
    Shape perRow(full);
    std::fill(perRow.begin() + first, perRow.end(), 1);
    for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
      if (padded(result) == perRow) {
        problem.rowResults.push_back(i);
      } else if (!isFull(result)) {
        return "a result has neither the shape of the reduced tensor nor one element per row";
      }
      if (!result.getDefiningOp() || isa<graph::ConstantOp>(result.getDefiningOp())) {
        return "a result is an operand or a constant";
      }
    }
    return "";
  }

  /// Merges adjacent dimensions along which every value has either all elements or one element.
  void mergeDimensions() {
    SmallVector<Shape> shapes;
    for (Value argument : body.getArguments()) {
      shapes.push_back(padded(argument));
    }
    for (Operation &op : body.without_terminator()) {
      for (Value result : op.getResults()) {
        if (!(isa<graph::ConstantOp>(op) && isAxes(op))) {
          shapes.push_back(padded(result));
        }
      }
    }
    auto mayJoin = [&](int64_t from, int64_t dim) {
      return llvm::all_of(shapes, [&](const Shape &shape) {
        ArrayRef<int64_t> whole = ArrayRef<int64_t>(full).slice(from, dim + 1 - from);
        ArrayRef<int64_t> own = ArrayRef<int64_t>(shape).slice(from, dim + 1 - from);
        return own == whole || llvm::all_of(own, [](int64_t size) { return size == 1; });
      });
    };
    problem.collapse.rank = static_cast<int64_t>(full.size());
    SmallVector<int64_t> &groups = problem.collapse.groups;
    Shape sizes;
    int64_t from = 0;
    for (int64_t dim = 0; dim < problem.collapse.rank; ++dim) {
      if (dim > 0 && dim != first && mayJoin(from, dim)) {
        ++groups.back();
        sizes.back() *= full[dim];
        continue;
      }
      from = dim;
      groups.push_back(1);
      sizes.push_back(full[dim]);
      (dim < first ? problem.leading : problem.outer).push_back(0); // counted; the sizes follow
    }
    size_t leading = problem.leading.size();
    problem.leading.assign(sizes.begin(), sizes.begin() + leading);
    problem.outer.assign(sizes.begin() + leading, sizes.end() - 1);
    problem.inner = sizes.back();
  }

  void findPasses() {
    auto passAt = [&](unsigned level) -> RowPass & {
      if (problem.passes.size() <= level) {
        problem.passes.resize(level + 1);
      }
      return problem.passes[level];
    };
    SmallVector<std::pair<Value, unsigned>> perRow;
    for (Value argument : body.getArguments()) {
      if (isPerRow(argument)) {
        perRow.push_back({argument, 0});
      }
    }
    for (Operation &op : body.without_terminator()) {
      unsigned level = 0;
      for (Value operand : op.getOperands()) {
        level = std::max(level, levels.lookup(operand));
      }
      if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
        passAt(level++).reductions.push_back(reduce);
      } else if (!isa<graph::ConstantOp>(op) && isPerRow(op.getResult(0))) {
        perRow.push_back({op.getResult(0), level});
      }
      for (Value result : op.getResults()) {
        levels[result] = level;
      }
    }
    for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
      if (!llvm::is_contained(problem.rowResults, i)) {
        passAt(levels.lookup(result)).results.push_back(i);
      }
    }
    for (auto [value, level] : perRow) {
      if (level < problem.passes.size()) {
        problem.passes[level].rowValues.push_back(value);
      }
    }
    for (unsigned pass = 0; pass < problem.passes.size(); ++pass) {
      seen.clear();
      for (graph::ReduceOp reduce : problem.passes[pass].reductions) {
        demand(reduce.getInput(), pass);
      }
      for (unsigned result : problem.passes[pass].results) {
        demand(body.getTerminator()->getOperand(result), pass);
      }
    }
  }

  /// Marks what a pass computes for an element: the ops that the value depends on, except values
  /// that an earlier pass kept.
  void demand(Value value, unsigned pass) {
    RowPass &own = problem.passes[pass];
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second || (op && isPerRow(value))) {
      return;
    }
    if (!op) {
      own.cycles += kSimpleCycles;
      return;
    }
    auto division = dyn_cast<graph::BinaryOp>(op);
    if (division && isFull(division.getLhs()) && isPerRow(division.getRhs()) &&
        hasReciprocal(division)) {
      own.divisions.push_back(division);
      own.cycles += kSimpleCycles;
      return demand(division.getLhs(), pass);
    }
    bool isKeepable = isFull(value) && cyclesPerVector(op) >= kKeptCycles &&
                      isFloat(fromMlir(cast<TensorType>(value.getType()).getElementType())) &&
                      problem.length() <= kMostKeptElements;
    if (isKeepable) {
      auto [known, isNew] = computed.try_emplace(value, pass);
      if (!isNew) {
        auto *it = llvm::find(problem.kept, value);
        if (it == problem.kept.end()) {
          problem.kept.push_back(value);
          it = &problem.kept.back();
          problem.passes[known->second].stored.push_back(it - problem.kept.begin());
        }
        own.loaded.push_back(it - problem.kept.begin());
        own.cycles += kSimpleCycles;
        return;
      }
    }
    own.cycles += cyclesPerVector(op);
    for (Value operand : op->getOperands()) {
      demand(operand, pass);
    }
  }

  /// Returns the shape of a value with as many dimensions as the reduced tensor.
  Shape padded(Value value) const {
    Shape result(full.size() - dimsOf(value).size(), 1);
    result.append(dimsOf(value).begin(), dimsOf(value).end());
    return result;
  }
  bool isFull(Value value) const { return padded(value) == full; }
  /// Returns whether all elements of a row have the same value.
  bool isPerRow(Value value) const {
    return llvm::all_of(ArrayRef<int64_t>(padded(value)).drop_front(first),
                        [](int64_t size) { return size == 1; });
  }
  bool fitsRow(Value value) const {
    if (dimsOf(value).size() > full.size()) {
      return false;
    }
    return llvm::all_of(llvm::zip(padded(value), full), [](auto sizes) {
      auto [own, whole] = sizes;
      return own == whole || own == 1;
    });
  }
  bool isAxes(Operation &op) const {
    return llvm::all_of(op.getUses(), [](OpOperand &use) { return graph::isStaticOperand(use); });
  }

  Block &body;
  RowProblem &problem;
  Shape full;                               // the shape of the reduced tensor
  int64_t first = 0;                        // the first dimension of a row
  llvm::DenseMap<Value, unsigned> levels;   // the pass in which a value can be computed
  llvm::DenseMap<Value, unsigned> computed; // the first pass that needs an expensive value
  llvm::DenseSet<Value> seen;               // in the current pass
};

} // namespace

int64_t RowProblem::reductions() const {
  int64_t count = 0;
  for (const RowPass &pass : passes) {
    count += static_cast<int64_t>(pass.reductions.size());
  }
  return count;
}

int64_t RowProblem::width(int64_t vectorBytes) const {
  int64_t most = std::min(inner, std::max<int64_t>(vectorBytes / 4, 1));
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(most)));
}

/// Gives all values of a kernel the rank of the reduced tensor: reductions keep their dimensions.
/// The layout in memory does not change. Returns the reason if the kernel has another form.
static std::string keepDimensions(Block &body) {
  llvm::DenseSet<Value> shortened; // values whose type changes
  SmallVector<std::pair<Value, Type>> types;
  for (Operation &op : body.without_terminator()) {
    if (auto reduce = dyn_cast<graph::ReduceOp>(op); reduce && !reduce.getKeepDims()) {
      std::string reason = whyNotReduction(reduce);
      if (!reason.empty()) {
        return reason;
      }
      SmallVector<int64_t> shape;
      for (auto [size, reduced] : llvm::zip(dimsOf(reduce.getInput()), reducedDims(reduce))) {
        shape.push_back(reduced ? 1 : size);
      }
      auto type = cast<RankedTensorType>(reduce.getResult().getType());
      types.push_back({reduce.getResult(), type.clone(shape)});
      shortened.insert(reduce.getResult());
      continue;
    }
    auto isShort = [&](Value operand) { return shortened.contains(operand); };
    if (llvm::none_of(op.getOperands(), isShort)) {
      continue;
    }
    // Other operands with several elements would need a new shape, too.
    bool isUniform =
        graph::collapsesDimensions(&op) &&
        llvm::all_of(op.getOperands(), [&](Value v) { return isShort(v) || elementsOf(v) == 1; });
    if (!isUniform) {
      return "an op combines a reduction without the reduced dimensions with a tensor";
    }
    Type kept;
    for (auto &[value, type] : types) {
      if (llvm::is_contained(op.getOperands(), value)) {
        kept = type;
      }
    }
    auto own = cast<RankedTensorType>(op.getResult(0).getType());
    types.push_back({op.getResult(0), own.clone(cast<RankedTensorType>(kept).getShape())});
    shortened.insert(op.getResult(0));
  }
  for (auto [value, type] : types) {
    value.setType(type);
  }
  return "";
}

std::string describeKernel(Block &body, RowProblem &problem) {
  std::string reason = keepDimensions(body);
  return reason.empty() ? RowAnalysis(body, problem).run() : reason;
}

std::string copyAndDescribe(graph::KernelOp kernel, RowKernel &result) {
  if (kernel.getBody().front().getOps<graph::ReduceOp>().empty()) {
    return "the kernel has no reduction";
  }
  result.copy = OwningOpRef<graph::KernelOp>(kernel.clone());
  return describeKernel(result.copy->getBody().front(), result.problem);
}

} // namespace convoy::kernels
