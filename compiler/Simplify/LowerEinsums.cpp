// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.einsum to transposes, matrix products and sums, for which Fusion and
// the kernel templates have efficient forms. Each pair of operands is one product. Its
// labels form four groups:
//
//     batch:  in both operands and needed afterwards      lhs  [batch, M, K]
//     M, N:   in one operand and needed afterwards        rhs  [batch, K, N]
//     K:      in both operands and not needed             result [batch, M, N]
//
// The generic loops keep the einsums that this pass does not lower. These include products of
// operands with a label that no other operand and no result has: a sum before the product gives
// another result if the operand has infinite elements.

#include "Graph/Einsum.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <string>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWEREINSUMSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// A tensor and the label of each of its dimensions. No label occurs twice.
struct Term {
  Value value;
  std::string labels;

  bool has(char label) const { return labels.find(label) != std::string::npos; }
  bool isConstant() const { return value.getDefiningOp<ConstantOp>() != nullptr; }
};

/// Returns the labels for which the predicate holds, in order.
template <typename Predicate>
std::string only(StringRef labels, Predicate predicate) {
  std::string result;
  llvm::copy_if(labels, std::back_inserter(result), predicate);
  return result;
}

class EinsumLowering {
public:
  EinsumLowering(TypedBuilder &b, EinsumOp op)
      : b(b), op(op), equation(EinsumEquation::parse(op.getEquation())) {}

  /// Returns the value of the einsum, or null if the pass does not lower it.
  Value run() {
    if (!isSupported()) {
      return Value();
    }
    SmallVector<Term> terms;
    for (auto [value, labels] : llvm::zip(op.getInputs(), equation.inputs)) {
      terms.push_back(withoutBroadcasts({value, labels.str()}));
    }
    Term result = terms.front();
    for (size_t i = 1; i < terms.size(); ++i) {
      result = contract(result, terms[i], neededAfter(i));
    }
    return ordered(summed(result, equation.output), equation.output.str()).value;
  }

private:
  /// Returns whether all shapes are static, no operand has a repeated label, no factor has a label
  /// of its own to sum over, and one rounding suffices. Also collects the size of each label.
  bool isSupported() {
    ElementType type = b.element(op.getResult());
    bool hasSums = op.getInputs().size() > 2;
    for (auto [value, labels] : llvm::zip(op.getInputs(), equation.inputs)) {
      RankedTensorType operand = staticType(value);
      if (!operand || operand.getNumElements() == 0) {
        return false;
      }
      for (auto [label, size] : llvm::zip(labels, operand.getShape())) {
        if (labels.count(label) != 1) {
          return false;
        }
        int64_t &known = sizes[label - 'a'];
        known = std::max(known, size);
        bool isOwn = !isShared(label) && !equation.output.contains(label);
        if (isOwn && size != 1 && equation.inputs.size() > 1) {
          return false;
        }
        hasSums |= isOwn;
      }
    }
    // The reference rounds 16-bit floats once, after all sums.
    bool isNarrow = type == ElementType::F16 || type == ElementType::BF16;
    return isFloat(type) && !(isNarrow && hasSums) && hasSmallProducts();
  }

  /// Returns the labels that the operands after operand `i` or the result have.
  std::string neededAfter(size_t i) const {
    std::string needed = equation.output.str();
    for (StringRef later : ArrayRef(equation.inputs).drop_front(i + 1)) {
      needed += later;
    }
    return needed;
  }

  /// Returns whether each partial product has at most as many elements as the largest operand or
  /// the result. The loops of einsum need no memory for partial products.
  bool hasSmallProducts() const {
    int64_t limit = extent(equation.output);
    for (StringRef labels : equation.inputs) {
      limit = std::max(limit, extent(labels));
    }
    std::string partial;
    for (auto [i, labels] : llvm::enumerate(equation.inputs)) {
      std::string added =
          only(labels, [&](char label) { return partial.find(label) == std::string::npos; });
      std::string needed = neededAfter(i);
      partial =
          only(partial + added, [&](char label) { return StringRef(needed).contains(label); });
      if (extent(partial) > limit) {
        return false;
      }
    }
    return true;
  }

  bool isShared(char label) const {
    return llvm::count_if(equation.inputs, [&](StringRef term) { return term.contains(label); }) >
           1;
  }

  int64_t sizeOf(char label) const { return sizes[label - 'a']; }

  /// Returns the product of the sizes of the labels, or the largest number if it is too large.
  int64_t extent(StringRef labels) const {
    int64_t result = 1;
    for (char label : labels) {
      if (llvm::MulOverflow(result, sizeOf(label), result)) {
        return std::numeric_limits<int64_t>::max();
      }
    }
    return result;
  }

  void append(Shape &shape, StringRef labels) const {
    for (char label : labels) {
      shape.push_back(sizeOf(label));
    }
  }

  Value withShape(Value value, ArrayRef<int64_t> shape) {
    return staticType(value).getShape() == shape ? value : b.reshape(value, shape);
  }

  /// Removes dimensions of size 1 whose label is larger in another operand [einsum.1].
  Term withoutBroadcasts(Term term) {
    Shape shape;
    std::string labels;
    for (auto [label, size] : llvm::zip(term.labels, staticType(term.value).getShape())) {
      if (size == sizeOf(label)) {
        labels += label;
        shape.push_back(size);
      }
    }
    return {withShape(term.value, shape), labels};
  }

  /// Sums over the labels that do not occur in `kept`.
  Term summed(const Term &term, StringRef kept) {
    SmallVector<int64_t> axes;
    for (auto [axis, label] : llvm::enumerate(term.labels)) {
      if (!kept.contains(label)) {
        axes.push_back(static_cast<int64_t>(axis));
      }
    }
    if (axes.empty()) {
      return term;
    }
    std::string labels = only(term.labels, [&](char label) { return kept.contains(label); });
    Shape shape;
    append(shape, labels);
    return {withShape(b.reduce(ReduceKind::Sum, term.value, axes), shape), labels};
  }

  /// Transposes the dimensions to the order of `labels`, which has the same labels.
  Term ordered(const Term &term, const std::string &labels) {
    if (term.labels == labels) {
      return term;
    }
    SmallVector<int64_t> perm;
    for (char label : labels) {
      perm.push_back(static_cast<int64_t>(term.labels.find(label)));
    }
    return {b.transpose(term.value, perm), labels};
  }

  /// Returns the labels in the order of the result, then the others in their own order.
  std::string inResultOrder(const std::string &labels) const {
    auto isResult = [&](char label) { return StringRef(labels).contains(label); };
    auto isOther = [&](char label) { return !equation.output.contains(label); };
    return only(equation.output, isResult) + only(labels, isOther);
  }

  /// Multiplies two terms and sums over the labels that are not in `needed`.
  Term contract(const Term &first, const Term &second, StringRef needed) {
    Term lhs = summed(first, (needed + second.labels).str());
    Term rhs = summed(second, (needed + lhs.labels).str());
    if (belongsRight(lhs, rhs)) {
      std::swap(lhs, rhs);
    }
    std::string sum =
        only(lhs.labels, [&](char label) { return rhs.has(label) && !needed.contains(label); });
    std::string rows = only(lhs.labels, [&](char label) { return !rhs.has(label); });
    std::string columns = only(rhs.labels, [&](char label) { return !lhs.has(label); });
    if (sum.empty() || (rows.empty() && columns.empty())) {
      return summed(multiplied(lhs, rhs, sum), needed);
    }
    return product(lhs, rhs, sum);
  }

  /// Returns whether the left operand is the better right one: a constant matrix, or the operand
  /// with the later dimensions of the result.
  bool belongsRight(const Term &lhs, const Term &rhs) const {
    if (lhs.isConstant() != rhs.isConstant()) {
      return lhs.isConstant();
    }
    for (char label : equation.output) {
      if (lhs.has(label) != rhs.has(label)) {
        return rhs.has(label);
      }
    }
    return false;
  }

  /// Multiplies two terms element by element. The dimensions to sum are the last ones.
  Term multiplied(const Term &lhs, const Term &rhs, const std::string &sum) {
    std::string others = only(rhs.labels, [&](char label) { return !lhs.has(label); });
    std::string all =
        only(lhs.labels + others, [&](char label) { return sum.find(label) == std::string::npos; });
    std::string labels = inResultOrder(all) + sum;
    auto aligned = [&](const Term &term) {
      Term own = ordered(term, only(labels, [&](char label) { return term.has(label); }));
      Shape shape;
      for (char label : labels) {
        shape.push_back(term.has(label) ? sizeOf(label) : 1);
      }
      return withShape(own.value, shape);
    };
    return {b.mul(aligned(lhs), aligned(rhs)), labels};
  }

  /// Multiplies two terms as matrices. The rows stay separate dimensions in front of a constant
  /// matrix, because LowerBatchedProducts collapses them together with the ops that follow.
  Term product(const Term &lhs, const Term &rhs, const std::string &sum) {
    auto isBatch = [&](char label) {
      return rhs.has(label) && sum.find(label) == std::string::npos;
    };
    std::string batch = only(lhs.labels, isBatch);
    std::string rows = only(lhs.labels, [&](char label) { return !rhs.has(label); });
    std::string columns = only(rhs.labels, [&](char label) { return !lhs.has(label); });
    columns = rhs.isConstant() ? inResultOrder(columns) : columns;
    Shape left;
    append(left, batch);
    Shape right = left;
    if (batch.empty() && rhs.isConstant() && !rows.empty()) {
      append(left, rows);
    } else {
      left.push_back(extent(rows));
    }
    left.push_back(extent(sum));
    right.append({extent(sum), extent(columns)});
    Value result = b.matmul(withShape(ordered(lhs, batch + rows + sum).value, left),
                            withShape(ordered(rhs, batch + sum + columns).value, right));
    Shape shape;
    append(shape, batch + rows + columns);
    return {withShape(result, shape), batch + rows + columns};
  }

  TypedBuilder &b;
  EinsumOp op;
  EinsumEquation equation;
  int64_t sizes[26] = {}; // of the labels a to z
};

struct LowerEinsums : impl::LowerEinsumsPassBase<LowerEinsums> {
  void runOnOperation() override {
    SmallVector<EinsumOp> ops;
    getOperation().walk([&](EinsumOp op) { ops.push_back(op); });
    for (EinsumOp op : ops) {
      OpBuilder builder(op);
      TypedBuilder b(builder, op.getLoc());
      Value result = EinsumLowering(b, op).run();
      if (b.hasFailed) {
        return signalPassFailure();
      }
      if (result && result.getType() == op.getType()) {
        op.replaceAllUsesWith(result);
        op.erase();
        ++loweredEinsums;
      }
    }
  }
};

} // namespace
} // namespace convoy::simplify
