// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph.dft of constant length to products with constant matrices. A transform of length
// n = r m is r-point transforms of distant elements, a multiplication by constants, and m-point
// transforms of near elements, which FourierPlan.cpp divides again if that is cheaper:
//
//     x[j1 m + j2]  --product-->  y[k1, j2]  --twiddle-->  z[k1, j2]  --product-->  X[k1 + r k2]
//
// Real and imaginary parts are rows of their own between the factors, so that a complex product
// is a product of real matrices and no op reads elements in pairs. The matrices are computed in
// double and rounded once. A length with a large prime factor uses Bluestein's method instead
// (FourierChirp.h): two such transforms of a longer, padded signal.

#include "Graph/TypedBuilder.h"
#include "Simplify/FourierChirp.h"
#include "Simplify/FourierPlan.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include <limits>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERFOURIERPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Returns the part of row `from` and column `to` of the multiplication by a root as a matrix
/// (re, im) -> (re, im).
double partOf(std::complex<double> root, int64_t from, int64_t to) {
  return from == to ? root.real() : from == 0 ? root.imag() : -root.imag();
}

Value withShape(TypedBuilder &b, Value x, ArrayRef<int64_t> shape) {
  return staticType(x).getShape() == shape ? x : b.reshape(x, shape);
}

class FourierLowering {
public:
  FourierLowering(TypedBuilder &b, const FourierProblem &problem, ElementType type)
      : b(b), p(problem), type(type) {}

  /// Transforms lines x given x parts to lines x bins x results.
  Value run(Value x, const FourierPlan &plan) {
    if (plan.padded > 0) {
      return convolved(wholeSignal(x), plan.padded);
    }
    return plan.factors.size() == 1 ? direct(x) : factorized(wholeSignal(x), plan.factors);
  }

private:
  std::complex<double> root(int64_t a, int64_t n) const { return rootOfUnity(a, n, p.isInverse); }

  double scale() const { return p.isInverse ? 1 / static_cast<double>(p.length) : 1; }

  /// Returns how often an element of the input occurs in the signal: the inner bins of half a
  /// spectrum also stand for their conjugates.
  double multiplicity(int64_t j) const {
    return p.isHalfSpectrum && j > 0 && j < p.length - p.length / 2 ? 2 : 1;
  }

  /// Multiplies each line by one matrix: lines x (j, part) by (j, part) x (k, result).
  Value direct(Value x) {
    int64_t columns = p.bins * p.results;
    Tensor matrix(type, {p.given * p.parts, columns});
    for (int64_t j = 0, at = 0; j < p.given; ++j) {
      for (int64_t from = 0; from < p.parts; ++from) {
        for (int64_t k = 0; k < p.bins; ++k) {
          for (int64_t to = 0; to < p.results; ++to, ++at) {
            matrix.setDouble(at,
                             scale() * multiplicity(j) * partOf(root(j * k, p.length), from, to));
          }
        }
      }
    }
    x = rowProduct(withShape(b, x, {1, p.lines, p.given * p.parts}), matrix);
    return withShape(b, x, {p.lines, p.bins, p.results});
  }

  /// Appends zeros along an axis of three.
  Value padded(Value x, int64_t axis, int64_t count) {
    SmallVector<int64_t> pads(6, 0);
    pads[3 + axis] = count;
    return b.emit<PadOp>(x, b.ints(pads), Value(), Value(), PadMode::Constant);
  }

  /// Returns the whole signal, lines x parts x length.
  Value wholeSignal(Value x) {
    int64_t known = p.isHalfSpectrum ? p.length / 2 + 1 : p.length;
    if (p.given < known) {
      x = padded(x, 1, known - p.given);
    }
    int64_t mirrored = p.length - known;
    if (mirrored > 0) {
      Tensor conjugate(type, {2});
      conjugate.setDouble(0, 1);
      conjugate.setDouble(1, -1);
      Value back = b.mul(reversed(x, 1, mirrored, mirrored), b.constant(conjugate));
      x = b.concat({x, back}, 1);
    }
    return p.parts == 1 ? withShape(b, x, {p.lines, 1, p.length}) : b.transpose(x, {0, 2, 1});
  }

  /// Returns the elements first, first - 1, ... along a dimension.
  Value reversed(Value x, int64_t axis, int64_t first, int64_t count) {
    int64_t end = first - count;
    // A negative end counts from the end of the dimension.
    int64_t before = end < 0 ? std::numeric_limits<int64_t>::min() : end;
    return b.emit<SliceOp>(x, b.ints({first}), b.ints({before}), b.ints({axis}), b.ints({-1}));
  }

  /// Transforms lines x parts x length factor by factor.
  Value factorized(Value x, ArrayRef<int64_t> factors) {
    int64_t blocks = p.lines; // lines times the factors before
    int64_t parts = p.parts;
    int64_t rest = p.length;
    for (int64_t factor : factors.drop_back()) {
      int64_t inner = rest / factor;
      x = withShape(b, x, {blocks, parts * factor, inner});
      x = b.matmul(b.constant(distantMatrix(factor, parts)), x);
      x = twiddled(withShape(b, x, {blocks, factor, 2, inner}), rest);
      blocks *= factor;
      parts = 2;
      rest = inner;
    }
    int64_t bins = lastBins(p, factors);
    x = withShape(b, x, {p.lines, blocks / p.lines, 2 * rest});
    x = rowProduct(x, nearMatrix(rest, bins));
    return inOrder(x, factors, bins);
  }

  /// Multiplies rows by a matrix. The matrix has rank 3, so that the product is one of batches: the
  /// template of these writes rows of any length in order, and the template of products with one
  /// matrix would write blocks of columns, which then need a reorder.
  Value rowProduct(Value rows, const Tensor &matrix) {
    return b.matmul(rows, b.constant(matrix.reshaped({1, matrix.dim(0), matrix.dim(1)})));
  }

  /// Returns the matrix of the transforms of distant elements, (k, result) x (part, j).
  Tensor distantMatrix(int64_t factor, int64_t parts) const {
    Tensor matrix(type, {2 * factor, parts * factor});
    for (int64_t k = 0, at = 0; k < factor; ++k) {
      for (int64_t to = 0; to < 2; ++to) {
        for (int64_t from = 0; from < parts; ++from) {
          for (int64_t j = 0; j < factor; ++j, ++at) {
            matrix.setDouble(at, partOf(root(j * k, factor), from, to));
          }
        }
      }
    }
    return matrix;
  }

  /// Returns the matrix of the last transforms, (part, j) x (k, result).
  Tensor nearMatrix(int64_t factor, int64_t bins) const {
    Tensor matrix(type, {2 * factor, bins * p.results});
    for (int64_t from = 0, at = 0; from < 2; ++from) {
      for (int64_t j = 0; j < factor; ++j) {
        for (int64_t k = 0; k < bins; ++k) {
          for (int64_t to = 0; to < p.results; ++to, ++at) {
            matrix.setDouble(at, scale() * partOf(root(j * k, factor), from, to));
          }
        }
      }
    }
    return matrix;
  }

  /// Multiplies element (k, j) of blocks x factor x 2 x inner by the root k j of the length.
  Value twiddled(Value x, int64_t length) {
    int64_t factor = staticType(x).getDimSize(1);
    int64_t inner = staticType(x).getDimSize(3);
    Tensor cosines(type, {factor, 1, inner});
    Tensor sines(type, {factor, 2, inner});
    for (int64_t k = 0; k < factor; ++k) {
      for (int64_t j = 0; j < inner; ++j) {
        std::complex<double> turn = root(k * j, length);
        cosines.setDouble(k * inner + j, turn.real());
        sines.setDouble((k * 2) * inner + j, -turn.imag());
        sines.setDouble((k * 2 + 1) * inner + j, turn.imag());
      }
    }
    Value swapped = reversed(x, 2, 1, 2);
    return b.add(b.mul(x, b.constant(cosines)), b.mul(swapped, b.constant(sines)));
  }

  /// Returns the bins in order. Bin k0 + r0 (k1 + r1 (k2 + ...)) is at position [k0, k1, k2, ...].
  Value inOrder(Value x, ArrayRef<int64_t> factors, int64_t bins) {
    auto digits = static_cast<int64_t>(factors.size());
    SmallVector<int64_t> shape = {p.lines};
    llvm::append_range(shape, factors.drop_back());
    shape.append({bins, p.results});
    SmallVector<int64_t> perm = {0};
    for (int64_t digit = digits; digit > 0; --digit) {
      perm.push_back(digit);
    }
    perm.push_back(digits + 1);
    x = b.transpose(withShape(b, x, shape), perm);
    int64_t total = bins * (p.length / factors.back());
    x = withShape(b, x, {p.lines, total, p.results});
    return total == p.bins ? x : b.slice(x, 1, 0, p.bins);
  }

  /// Computes the transform of lines x parts x length as a convolution with the chirp.
  Value convolved(Value x, int64_t length) {
    x = scaled(x, chirp(p.length, p.length, p.isInverse));
    x = padded(x, 2, length - p.length);
    x = transformed(x, forwardProblem(p, length));
    x = scaled(x, chirpSpectrum(p.length, p.bins, length, p.isInverse));
    x = transformed(x, backwardProblem(p, length));
    std::vector<std::complex<double>> last = chirp(p.length, p.bins, p.isInverse);
    for (std::complex<double> &factor : last) {
      factor *= scale();
    }
    x = scaled(x, last);
    x = p.results == 1 ? b.slice(x, 1, 0, 1) : x;
    return p.results == 1 ? withShape(b, x, {p.lines, p.bins, 1}) : b.transpose(x, {0, 2, 1});
  }

  /// Transforms lines x 2 x length to lines x 2 x bins.
  Value transformed(Value x, const FourierProblem &problem) {
    x = FourierLowering(b, problem, type).factorized(x, planFactors(problem)->factors);
    return b.transpose(x, {0, 2, 1});
  }

  /// Multiplies the elements of lines x parts x n by complex constants: lines x 2 x n.
  Value scaled(Value x, ArrayRef<std::complex<double>> factors) {
    auto count = static_cast<int64_t>(factors.size());
    bool isReal = staticType(x).getDimSize(1) == 1;
    Tensor same(type, {isReal ? 2 : 1, count}); // the factor of the part itself
    Tensor other(type, {2, count});             // the factor of the other part
    for (auto [j, factor] : llvm::enumerate(factors)) {
      same.setDouble(j, factor.real());
      other.setDouble(j, -factor.imag());
      other.setDouble(count + j, factor.imag());
      if (isReal) {
        same.setDouble(count + j, factor.imag());
      }
    }
    Value product = b.mul(x, b.constant(same));
    return isReal ? product : b.add(product, b.mul(reversed(x, 1, 1, 2), b.constant(other)));
  }

  TypedBuilder &b;
  const FourierProblem &p;
  ElementType type;
};

/// A constant operand with one element, or the default.
std::optional<int64_t> scalarOf(Value operand, int64_t absent) {
  if (!operand) {
    return absent;
  }
  std::optional<Tensor> tensor = constantValue(operand);
  return tensor && tensor->size() == 1 ? std::optional(tensor->asInt(0)) : std::nullopt;
}

/// Returns the dimensions with `axis` before the last one.
SmallVector<int64_t> axisLast(int64_t axis, int64_t rank) {
  SmallVector<int64_t> perm;
  for (int64_t i = 0; i + 1 < rank; ++i) {
    if (i != axis) {
      perm.push_back(i);
    }
  }
  perm.append({axis, rank - 1});
  return perm;
}

/// Returns the transform of an op along `axis`, or nullopt if its length is not constant.
std::optional<FourierProblem> problemOf(DFTOp op, int64_t axis) {
  RankedTensorType input = staticType(op.getInput());
  RankedTensorType result = staticType(op.getResult());
  int64_t available = input.getDimSize(axis);
  bool isHalf = op.getInverse() && op.getOnesided();
  std::optional<int64_t> length =
      scalarOf(op.getLength(), isHalf ? result.getDimSize(axis) : available);
  if (!length || *length < 1 || result.getNumElements() == 0 || input.getNumElements() == 0) {
    return std::nullopt;
  }
  FourierProblem p;
  p.length = *length;
  p.given = std::min(available, isHalf ? *length / 2 + 1 : *length);
  p.parts = input.getShape().back();
  p.bins = result.getDimSize(axis);
  p.results = result.getShape().back();
  p.lines = result.getNumElements() / (p.bins * p.results);
  p.isInverse = op.getInverse();
  p.isHalfSpectrum = isHalf;
  return p.isHalfSpectrum && p.parts == 1 ? std::nullopt : std::optional(p);
}

/// Returns the value of a transform, or null if the pass does not lower it.
Value lower(TypedBuilder &b, DFTOp op) {
  RankedTensorType input = staticType(op.getInput());
  std::optional<int64_t> given = scalarOf(op.getAxis(), -2);
  if (!input || !staticType(op.getResult()) || !given) {
    return Value();
  }
  if (staticType(op.getResult()).getNumElements() == 0) {
    // Without a length, the inverse of one bin has 2 * (1 - 1) elements.
    return b.constant(Tensor(b.element(op.getResult()), staticType(op.getResult()).getShape()));
  }
  int64_t rank = input.getRank();
  std::optional<int64_t> axis = normalizeAxis(*given, rank);
  std::optional<FourierProblem> problem = axis ? problemOf(op, *axis) : std::nullopt;
  std::optional<FourierPlan> plan = problem ? planFourier(*problem) : std::nullopt;
  if (!plan) {
    return Value();
  }
  ElementType type = b.element(op.getInput());
  ElementType wide = type == ElementType::F64 ? type : ElementType::F32;
  bool isMoved = *axis != rank - 2;
  SmallVector<int64_t> perm = axisLast(*axis, rank);
  Value x = b.cast(op.getInput(), wide);
  x = isMoved ? b.transpose(x, perm) : x;
  x = withShape(b, x, {problem->lines, input.getDimSize(*axis), problem->parts});
  x = input.getDimSize(*axis) == problem->given ? x : b.slice(x, 1, 0, problem->given);
  x = FourierLowering(b, *problem, wide).run(x, *plan);
  Shape shape;
  for (int64_t from : perm) {
    shape.push_back(staticType(op.getResult()).getDimSize(from));
  }
  x = withShape(b, x, shape);
  if (isMoved) {
    SmallVector<int64_t> back(rank);
    for (auto [to, from] : llvm::enumerate(perm)) {
      back[from] = static_cast<int64_t>(to);
    }
    x = b.transpose(x, back);
  }
  return b.cast(x, type);
}

struct LowerFourier : impl::LowerFourierPassBase<LowerFourier> {
  void runOnOperation() override {
    SmallVector<DFTOp> ops;
    getOperation().walk([&](DFTOp op) { ops.push_back(op); });
    for (DFTOp op : ops) {
      OpBuilder builder(op);
      TypedBuilder b(builder, op.getLoc());
      Value result = lower(b, op);
      if (b.hasFailed) {
        return signalPassFailure();
      }
      if (result) {
        op.replaceAllUsesWith(result);
        op.erase();
        ++loweredTransforms;
      }
    }
  }
};

} // namespace
} // namespace convoy::simplify
