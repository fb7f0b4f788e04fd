// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates linear algebra: matrix products, Einstein sums and determinants.
// Fourier.cpp evaluates the Fourier transform.

#include "Graph/Einsum.h"
#include "reference/Elements.h"
#include "reference/Fourier.h"
#include "reference/Odometer.h"
#include "reference/Parallel.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

constexpr int64_t kColumns = 256; // per accumulator: 256 x 8 sums of 8 bytes

/// A stack of matrix products: result[b] = lhs[b'] * rhs[b''].
template <typename T>
struct MatrixProduct {
  using A = Accumulator<T>;
  const T *lhs;
  const T *rhs;
  int64_t rows, inner, columns;

  /// Computes kBlock rows, starting at `row`, of the product whose elements
  /// start at `base`.
  template <int kBlock>
  void computeRows(const T *left, const T *right, int64_t row, int64_t base, Tensor &result) const {
    int64_t count = std::min<int64_t>(kBlock, rows - row);
    A sums[kColumns * kBlock];
    for (int64_t column = 0; column < columns; column += kColumns) {
      int64_t width = std::min(kColumns, columns - column);
      std::fill(sums, sums + width * kBlock, A(0));
      for (int64_t k = 0; k < inner; ++k) {
        A block[kBlock] = {};
        for (int64_t j = 0; j < count; ++j) {
          block[j] = left[(row + j) * inner + k];
        }
        multiplyAdd<kBlock>(right + k * columns + column, 1, width, block, sums);
      }
      for (int64_t j = 0; j < count; ++j) {
        storeSums(result, base + (row + j) * columns + column, sums + j, width, kBlock);
      }
    }
  }
};

/// Returns the matrix that batch index `index` selects in a stack of shape
/// `batch` (without its last two dimensions), which broadcasts to the index's
/// rank.
int64_t broadcastIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> batch) {
  ArrayRef<int64_t> aligned = index.take_back(batch.size());
  int64_t flat = 0;
  for (auto [i, dim] : llvm::zip(aligned, batch)) {
    flat = flat * dim + (dim == 1 ? 0 : i);
  }
  return flat;
}

template <typename T, int kBlock>
void multiplyStacks(const MatrixProduct<T> &product, ArrayRef<int64_t> lhsBatch,
                    ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> batch, Tensor &result) {
  int64_t blocks = llvm::divideCeilSigned(product.rows, kBlock);
  double cost = static_cast<double>(product.inner) * static_cast<double>(product.columns) * kBlock;
  parallelFor(reference::product(batch) * blocks, cost, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t matrix = item / blocks;
      Shape index = unflatten(matrix, batch);
      const T *left = product.lhs + broadcastIndex(index, lhsBatch) * product.rows * product.inner;
      const T *right =
          product.rhs + broadcastIndex(index, rhsBatch) * product.inner * product.columns;
      product.template computeRows<kBlock>(left, right, item % blocks * kBlock,
                                           matrix * product.rows * product.columns, result);
    }
  });
}

} // namespace

/// Computes the product of operands of type T.
template <typename T>
static void multiply(const Tensor &lhs, const T *a, const Tensor &rhs, const T *b, Tensor &result) {
  Shape left(lhs.shape());
  Shape right(rhs.shape());
  if (left.size() == 1) {
    left.insert(left.begin(), 1);
  }
  if (right.size() == 1) {
    right.push_back(1);
  }
  ArrayRef<int64_t> lhsBatch = ArrayRef(left).drop_back(2);
  ArrayRef<int64_t> rhsBatch = ArrayRef(right).drop_back(2);
  Shape batch = graph::broadcastShapes(lhsBatch, rhsBatch).value_or(Shape());
  MatrixProduct<T> product{a, b, left[left.size() - 2], left.back(), right.back()};
  if (product.rows == 1) {
    multiplyStacks<T, 1>(product, lhsBatch, rhsBatch, batch, result);
  } else {
    multiplyStacks<T, 8>(product, lhsBatch, rhsBatch, batch, result);
  }
}

static LogicalResult evaluateMatMul(graph::MatMulOp op, Evaluation &e) {
  const Tensor &lhs = e.input(op.getLhs());
  const Tensor &rhs = e.input(op.getRhs());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  dispatchArithmetic(lhs.type(), [&](auto zero) {
    using T = decltype(zero);
    Elements<T> a(lhs);
    Elements<T> b(rhs);
    multiply<T>(lhs, a.data(), rhs, b.data(), result);
  });
  return success();
}

static LogicalResult evaluateIntegerMatMul(graph::IntegerMatMulOp op, Evaluation &e) {
  const Tensor &lhs = e.input(op.getLhs());
  const Tensor &rhs = e.input(op.getRhs());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  dispatchSums(result, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> a = centered<T>(lhs, op.getLhsZeroPoint());
    std::vector<T> b = centered<T>(rhs, op.getRhsZeroPoint());
    Value zeroPoints = op.getChannelZeroPoints();
    subtractChannels(b, zeroPoints ? &e.input(zeroPoints) : nullptr, /*inner=*/1);
    multiply<T>(lhs, a.data(), rhs, b.data(), result);
    if (op.getBias()) {
      std::vector<T> bias = centered<T>(e.input(op.getBias()), 0);
      auto *sums = result.mutableData<T>();
      for (int64_t i = 0; i < result.size(); ++i) {
        sums[i] += bias[i % static_cast<int64_t>(bias.size())];
      }
    }
  });
  return success();
}

/// Returns the elements of a matrix minus its zero points ([byte_matmul.2]).
static std::vector<uint32_t> centeredBy(const Tensor &matrix, const Tensor &zeroPoint) {
  if (zeroPoint.size() == 1) {
    return centered(matrix, zeroPoint.asInt(0));
  }
  std::vector<uint32_t> values = centered(matrix, 0);
  for (int64_t i = 0; i < matrix.size(); ++i) {
    int64_t entry = broadcastIndex(unflatten(i, matrix.shape()), zeroPoint.shape());
    values[i] -= static_cast<uint32_t>(zeroPoint.asInt(entry));
  }
  return values;
}

static LogicalResult evaluateByteMatMul(graph::ByteMatMulOp op, Evaluation &e) {
  const Tensor &lhs = e.input(op.getLhs());
  const Tensor &rhs = e.input(op.getRhs());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  std::vector<uint32_t> a = centeredBy(lhs, e.input(op.getLhsZeroPoint()));
  std::vector<uint32_t> b = centeredBy(rhs, e.input(op.getRhsZeroPoint()));
  multiply<uint32_t>(lhs, a.data(), rhs, b.data(), result);
  return success();
}

namespace {

/// An Einstein sum as loops: first the labels of the result, then the summed
/// labels. Each operand has one stride per label; 0 if it lacks the label or
/// broadcasts.
struct EinsumLoops {
  std::string labels;
  Shape sizes;
  size_t outputRank;
  SmallVector<Shape> strides; // per operand

  EinsumLoops(const graph::EinsumEquation &equation, ArrayRef<const Tensor *> operands)
      : labels(equation.output), outputRank(equation.output.size()) {
    for (StringRef input : equation.inputs) {
      for (char label : input) {
        if (labels.find(label) == std::string::npos) {
          labels.push_back(label);
        }
      }
    }
    sizes.assign(labels.size(), 1);
    for (auto [input, operand] : llvm::zip(equation.inputs, operands)) {
      Shape steps = stridesOf(operand->shape());
      Shape stride(labels.size(), 0);
      for (size_t i = 0; i < input.size(); ++i) {
        size_t label = labels.find(input[i]);
        if (operand->dim(i) != 1) {
          sizes[label] = operand->dim(i);
          stride[label] += steps[i];
        }
      }
      strides.push_back(stride);
    }
  }

  int64_t offsetOf(size_t operand, ArrayRef<int64_t> index, size_t firstLabel) const {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      offset += index[i] * strides[operand][firstLabel + i];
    }
    return offset;
  }

  /// Returns the sum for one result element.
  template <typename T>
  Accumulator<T> sum(ArrayRef<Elements<T>> operands, int64_t element) const {
    Shape outer = unflatten(element, ArrayRef(sizes).take_front(outputRank));
    SmallVector<int64_t> base;
    for (size_t i = 0; i < operands.size(); ++i) {
      base.push_back(offsetOf(i, outer, 0));
    }
    ArrayRef<int64_t> summed = ArrayRef(sizes).drop_front(outputRank);
    Accumulator<T> total = 0;
    if (llvm::is_contained(summed, 0)) {
      return total;
    }
    Shape inner(summed.size(), 0);
    do {
      Accumulator<T> term = 1;
      for (size_t i = 0; i < operands.size(); ++i) {
        term *= operands[i][base[i] + offsetOf(i, inner, outputRank)];
      }
      total += term;
    } while (advance(inner, summed));
    return total;
  }
};

} // namespace

static LogicalResult evaluateEinsum(graph::EinsumOp op, Evaluation &e) {
  SmallVector<const Tensor *> operands;
  for (Value input : op.getInputs()) {
    operands.push_back(&e.input(input));
  }
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  EinsumLoops loops(graph::EinsumEquation::parse(op.getEquation()), operands);
  double cost = 1;
  for (int64_t size : ArrayRef(loops.sizes).drop_front(loops.outputRank)) {
    cost *= static_cast<double>(size);
  }
  if (failed(e.checkTerms(cost * static_cast<double>(result.size())))) {
    return failure();
  }
  dispatchArithmetic(result.type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<Elements<T>> elements;
    elements.reserve(operands.size());
    for (const Tensor *operand : operands) {
      elements.emplace_back(*operand);
    }
    parallelFor(result.size(), cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Accumulator<T> sum = loops.sum<T>(elements, i);
        storeSums(result, i, &sum, 1);
      }
    });
  });
  return success();
}

/// Computes the determinant by Gaussian elimination with partial pivoting;
/// overwrites the matrix.
static double determinant(MutableArrayRef<double> m, int64_t n) {
  double result = 1;
  for (int64_t column = 0; column < n; ++column) {
    int64_t pivot = column;
    for (int64_t row = column + 1; row < n; ++row) {
      if (std::abs(m[row * n + column]) > std::abs(m[pivot * n + column])) {
        pivot = row;
      }
    }
    if (pivot != column) {
      std::swap_ranges(&m[pivot * n], &m[pivot * n] + n, &m[column * n]);
      result = -result;
    }
    double top = m[column * n + column];
    result *= top;
    if (top == 0) {
      return 0;
    }
    for (int64_t row = column + 1; row < n; ++row) {
      double factor = m[row * n + column] / top;
      for (int64_t i = column; i < n; ++i) {
        m[row * n + i] -= factor * m[column * n + i];
      }
    }
  }
  return result;
}

static LogicalResult evaluateDet(graph::DetOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t n = input.shape().back();
  std::vector<double> matrix(n * n);
  for (int64_t i = 0; i < result.size(); ++i) {
    for (int64_t j = 0; j < n * n; ++j) {
      matrix[j] = input.asDouble(i * n * n + j);
    }
    result.setDouble(i, determinant(matrix, n));
  }
  return success();
}

void addTransformEvaluators(EvaluatorTable &table) {
  table.add<graph::ByteMatMulOp, evaluateByteMatMul>();
  table.add<graph::IntegerMatMulOp, evaluateIntegerMatMul>();
  table.add<graph::MatMulOp, evaluateMatMul>();
  table.add<graph::EinsumOp, evaluateEinsum>();
  table.add<graph::DetOp, evaluateDet>();
  table.add<graph::DFTOp, evaluateDFT>();
}

} // namespace convoy::reference
