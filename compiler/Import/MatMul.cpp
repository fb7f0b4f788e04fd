// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports matrix products: MatMul, Gemm and Einsum.

#include "Import/Gemm.h"
#include "Import/OpTable.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace convoy::import {

static LogicalResult importMatMul(NodeContext &n) {
  if (failed(n.require(0, "A")) || failed(n.require(1, "B"))) {
    return failure();
  }
  return n.yield(n.matmul(n.input(0), n.input(1)));
}

/// Returns x * factor, or x if the factor is 1.
static Value scaled(NodeContext &n, Value x, double factor) {
  if (factor == 1) {
    return x;
  }
  if (isInteger(n.element(x)) && factor != std::floor(factor)) {
    n.unsupported() << "with alpha or beta " << factor
                    << " on integer operands; use an integer value";
    return x;
  }
  return n.mul(x, n.scalarLike(x, factor));
}

/// Returns whether C broadcasts to the product's shape without changing it.
static bool isUnidirectional(NodeContext &n, Value product, Value sum) {
  if (!n.hasRank(product) || !n.hasRank(sum)) {
    return true;
  }
  Shape before = *n.shape(product);
  Shape after = *n.shape(sum);
  return before.size() == after.size() && llvm::all_of(llvm::zip(before, after), [](auto dims) {
           auto [a, b] = dims;
           return a == b || a == graph::kDynamic || b == graph::kDynamic;
         });
}

FailureOr<Value> emitGemm(NodeContext &n) {
  if (failed(n.require(0, "A")) || failed(n.require(1, "B"))) {
    return failure();
  }
  Value operands[] = {n.input(0), n.input(1)};
  StringRef flags[] = {"transA", "transB"};
  for (auto [operand, flag] : llvm::zip(operands, flags)) {
    if (n.hasRank(operand) && n.shape(operand)->size() != 2) {
      return FailureOr<Value>(n.error() << "expects operands of rank 2, got " << operand.getType());
    }
    operand = n.intAttr(flag, 0) != 0 ? n.transpose(operand, {1, 0}) : operand;
  }
  Value product = scaled(n, n.matmul(operands[0], operands[1]), n.floatAttr("alpha", 1));
  double beta = n.floatAttr("beta", 1);
  if (!n.input(2) || beta == 0) {
    return product;
  }
  Value sum = n.add(product, scaled(n, n.input(2), beta));
  if (!n.hasFailed && !isUnidirectional(n, product, sum)) {
    return FailureOr<Value>(n.error() << "expects C to broadcast to " << product.getType()
                                      << ", got " << n.input(2).getType());
  }
  return sum;
}

static LogicalResult importGemm(NodeContext &n) {
  FailureOr<Value> y = emitGemm(n);
  return failed(y) ? failure() : n.yield(*y);
}

namespace {

/// Rewrites an ONNX equation into the explicit equation of graph.einsum, which
/// has no spaces, no ellipses, an output term, and labels a to z in order of
/// appearance.
class EinsumRewriter {
public:
  explicit EinsumRewriter(NodeContext &n) : n(n) {}

  FailureOr<std::string> rewrite(std::string text) {
    original = text;
    llvm::erase(text, ' ');
    auto [inputs, output] = StringRef(text).split("->");
    bool isExplicit = StringRef(text).contains("->");
    SmallVector<StringRef> terms;
    inputs.split(terms, ',');
    if (terms.size() != n.numInputs()) {
      return FailureOr<std::string>(
          n.error() << "has equation '" << original << "' with " << terms.size()

                    << " terms, expected one term per input, got inputs: " << n.numInputs());
    }
    for (auto [i, term] : llvm::enumerate(terms)) {
      if (failed(countEllipsis(i, term))) {
        return failure();
      }
    }
    std::string implicit = isExplicit ? output.str() : implicitOutput(inputs);
    std::string result;
    for (auto [i, term] : llvm::enumerate(terms)) {
      result += (i == 0 ? "" : ",");
      if (failed(append(term, ellipsisRanks[i], result))) {
        return failure();
      }
    }
    result += "->";
    if (failed(append(implicit, ellipsisRank, result))) {
      return failure();
    }
    return result;
  }

private:
  /// Computes the number of dimensions that the ellipsis of operand i
  /// represents.
  LogicalResult countEllipsis(unsigned i, StringRef term) {
    ellipsisRanks.push_back(0);
    if (!term.contains("...")) {
      return success();
    }
    if (failed(n.require(i, "Inputs"))) {
      return failure();
    }
    FailureOr<int64_t> rank = n.rank(n.input(i));
    if (failed(rank)) {
      return failure();
    }
    int64_t labels = static_cast<int64_t>(term.size()) - 3;
    if (*rank < labels) {
      return n.error() << "has term '" << term
                       << "' with more labels than its operand has dimensions, got rank " << *rank;
    }
    ellipsisRanks.back() = *rank - labels;
    ellipsisRank = std::max(ellipsisRank, ellipsisRanks.back());
    return success();
  }

  /// Returns the output term of an equation without `->`: the ellipsis, then
  /// the labels that occur once, sorted.
  static std::string implicitOutput(StringRef inputs) {
    std::string labels;
    for (char label : inputs) {
      if (llvm::isAlpha(label) && inputs.count(label) == 1) {
        labels.push_back(label);
      }
    }
    llvm::sort(labels);
    return (inputs.contains("...") ? "..." : "") + labels;
  }

  /// Appends a term with its ellipsis expanded. Ellipses of fewer dimensions
  /// align with the last dimensions, as in broadcasting.
  LogicalResult append(StringRef term, int64_t rank, std::string &result) {
    auto [before, after] = term.split("...");
    if (failed(appendLabels(before, result))) {
      return failure();
    }
    for (int64_t i = 0; term.contains("...") && i < rank; ++i) {
      int64_t dimension = ellipsisRank - rank + i;
      if (failed(appendLabel(static_cast<int64_t>(256 + dimension), result))) {
        return failure();
      }
    }
    return appendLabels(after, result);
  }

  LogicalResult appendLabels(StringRef labels, std::string &result) {
    for (char label : labels) {
      if (!llvm::isAlpha(label)) {
        return n.error() << "has equation '" << original
                         << "', expected letters, commas, one '...' per term and '->'";
      }
      if (failed(appendLabel(label, result))) {
        return failure();
      }
    }
    return success();
  }

  /// Appends the letter of a label. Labels below 256 are characters; label 256
  /// + i is dimension i of the ellipsis.
  LogicalResult appendLabel(int64_t label, std::string &result) {
    auto it = llvm::find(labels, label);
    size_t index = it - labels.begin();
    if (index >= 26) {
      return n.unsupported()
             << "with more than 26 labels (including ellipsis dimensions) in equation '" << original
             << "'";
    }
    if (it == labels.end()) {
      labels.push_back(label);
    }
    result.push_back(static_cast<char>('a' + index));
    return success();
  }

  NodeContext &n;
  std::string original;
  SmallVector<int64_t> labels;
  SmallVector<int64_t> ellipsisRanks; // per operand
  int64_t ellipsisRank = 0;           // the largest
};

} // namespace

static LogicalResult importEinsum(NodeContext &n) {
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (failed(n.require(i, "Inputs"))) {
      return failure();
    }
  }
  FailureOr<std::string> equation = EinsumRewriter(n).rewrite(n.stringAttr("equation", ""));
  if (failed(equation)) {
    return failure();
  }
  return n.yield(n.emit<graph::EinsumOp>(ValueRange(n.allInputs()), StringRef(*equation)));
}

llvm::ArrayRef<OpRow> matmulRows() {
  static const OpRow kRows[] = {
      {"Einsum", importEinsum, "at most 26 labels in the equation"},
      {"Gemm", importGemm},
      {"MatMul", importMatMul},
  };
  return kRows;
}

} // namespace convoy::import
