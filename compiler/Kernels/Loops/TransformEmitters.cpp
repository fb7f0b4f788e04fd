// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits Fourier transforms and determinants. Both compute in f64 and round the result once.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Loops/Limits.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Computes one bin: the sum over n of x[n] * exp(-+ 2 pi i k n / N). The angle is reduced in
/// integers first, so that a large k * n loses no accuracy.
Value emitDFT(graph::DFTOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape shape = k.shape(op.getInput());
  int64_t rank = shape.size();
  int64_t axis = op.getAxis() ? k.ints(op.getAxis())[0] : rank - 2;
  axis += axis < 0 ? rank : 0;
  int64_t length = op.getLength() ? k.ints(op.getLength())[0] : shape[axis];
  bool isComplex = shape.back() == 2;
  ElementType type = k.type(op.getInput());
  Arithmetic wide{k.lanes(), ElementType::F64};
  double turn = (op.getInverse() ? 2 : -2) * 3.14159265358979323846 / static_cast<double>(length);
  int64_t count = std::min(length, shape[axis]);
  auto term = [&](Value n, ValueRange carried) {
    Lanes l = k.lanes();
    Arithmetic a{l, ElementType::F64};
    Index product = l.width == 1 || q.at[axis].isUniform()
                        ? l.uniform(l.b.create<arith::MulIOp>(q.at[axis].base, n))
                        : Index{{}, 0, l.op<arith::MulIOp>(l.toLanes(q.at[axis]), n)};
    Value phase = convert(l, l.toValue(l.rem(product, length), l.b.getI64Type()), ElementType::I64,
                          ElementType::F64);
    Value angle = a.mul(phase, a.number(turn));
    Value cosine = l.b.create<math::CosOp>(angle);
    Value sine = l.b.create<math::SinOp>(angle);
    SmallVector<Index> at(q.at.begin(), q.at.end());
    at[axis] = l.uniform(n);
    at.back() = l.constant(0);
    Value real = convert(l, k.element(op.getInput(), at, q.mask), type, ElementType::F64);
    Value sumReal = a.add(carried[0], a.mul(real, cosine));
    Value sumImaginary = a.add(carried[1], a.mul(real, sine));
    if (isComplex) {
      at.back() = l.constant(1);
      Value imaginary = convert(l, k.element(op.getInput(), at, q.mask), type, ElementType::F64);
      sumReal = a.sub(sumReal, a.mul(imaginary, sine));
      sumImaginary = a.add(sumImaginary, a.mul(imaginary, cosine));
    }
    return SmallVector<Value>{sumReal, sumImaginary};
  };
  SmallVector<Value> sums = k.loop(count, {wide.number(0), wide.number(0)}, term);
  Value part = wide.lanes.select(wide.lanes.isEqual(q.at.back(), 0), sums[0], sums[1]);
  if (op.getInverse()) {
    part = wide.div(part, wide.number(static_cast<double>(length)));
  }
  return convert(wide.lanes, part, ElementType::F64, type);
}

std::string dftLimit(Operation *op) {
  auto dft = cast<graph::DFTOp>(op);
  if (dft.getInverse() && dft.getOnesided()) {
    return "rebuilds a real signal from one side of its spectrum";
  }
  return firstNotConstant({{dft.getLength(), "dft_length"}, {dft.getAxis(), "axis"}});
}

/// Computes a determinant by Gaussian elimination with partial pivoting on an f64 copy.
class Determinant {
public:
  Determinant(KernelEmitter &k, Value matrix, int64_t n) : k(k), matrix(matrix), n(n) {}

  Value run() {
    Arithmetic a{k.lanes(), ElementType::F64};
    return k.loop(n, {a.number(1)}, [&](Value column, ValueRange carried) {
      Lanes in = k.lanes();
      Arithmetic inner{in, ElementType::F64};
      Value pivot = findPivot(column);
      swapRows(pivot, column);
      Value isSwapped = in.compare(arith::CmpIPredicate::ne, pivot, column);
      Value top = at(column, column);
      Value signedTop = in.select(isSwapped, in.b.create<arith::NegFOp>(top), top);
      eliminate(column, top);
      return SmallVector<Value>{inner.mul(carried[0], signedTop)};
    })[0];
  }

private:
  Value offset(Value row, Value column) {
    Value start = k.b.createOrFold<arith::MulIOp>(row, k.index(n));
    return k.b.createOrFold<arith::AddIOp>(start, column);
  }
  Value at(Value row, Value column) {
    return k.b.create<memref::LoadOp>(matrix, ValueRange{offset(row, column)});
  }
  void put(Value value, Value row, Value column) {
    k.b.create<memref::StoreOp>(value, matrix, ValueRange{offset(row, column)});
  }
  Value findPivot(Value column) {
    return k.loop(column, k.index(n), {column}, [&](Value row, ValueRange best) {
      Lanes l = k.lanes();
      Value candidate = l.b.create<math::AbsFOp>(at(row, column));
      Value current = l.b.create<math::AbsFOp>(at(best[0], column));
      Value isLarger = l.compare(arith::CmpFPredicate::OGT, candidate, current);
      return SmallVector<Value>{l.select(isLarger, row, best[0])};
    })[0];
  }
  void swapRows(Value first, Value second) {
    k.loop(n, [&](Value i) {
      Value x = at(first, i);
      Value y = at(second, i);
      put(y, first, i);
      put(x, second, i);
    });
  }
  void eliminate(Value column, Value top) {
    Lanes outer = k.lanes();
    // A zero pivot makes the product zero, whatever the other rows become. Divide by one instead,
    // to avoid NaN.
    Type f64 = outer.b.getF64Type();
    Value isZero = outer.compare(arith::CmpFPredicate::OEQ, top, outer.constantOf(f64, 0));
    Value divisor = outer.select(isZero, outer.constantOf(f64, 1), top);
    Value next = k.b.createOrFold<arith::AddIOp>(column, k.index(1));
    k.loop(next, k.index(n), [&](Value row) {
      Value factor = k.b.create<arith::DivFOp>(at(row, column), divisor);
      k.loop(n, [&](Value i) {
        Value change = k.b.create<arith::MulFOp>(factor, at(column, i));
        put(k.b.create<arith::SubFOp>(at(row, i), change), row, i);
      });
    });
  }

  KernelEmitter &k;
  Value matrix;
  int64_t n;
};

// The maximum matrix size, because the matrix is copied to the stack.
constexpr int64_t kMaxDeterminant = 64;

void emitDet(graph::DetOp op, KernelEmitter &k) {
  Shape shape = k.shape(op.getInput());
  int64_t n = shape.back();
  Buffer out = *k.output(op, 0);
  Value matrix = k.b.create<memref::AllocaOp>(MemRefType::get({n * n}, k.b.getF64Type()));
  Shape batch(shape.begin(), shape.end() - 2);
  k.serialNest(batch, [&](ArrayRef<Index> at) {
    k.serialNest({n, n}, [&](ArrayRef<Index> cell) {
      Lanes l = k.lanes();
      SmallVector<Index> position(at.begin(), at.end());
      position.append(cell.begin(), cell.end());
      Value x =
          convert(l, k.element(op.getInput(), position), k.type(op.getInput()), ElementType::F64);
      k.b.create<memref::StoreOp>(x, matrix, ValueRange{l.linearize(cell, {n, n}).base});
    });
    Value result = Determinant(k, matrix, n).run();
    Lanes l = k.lanes();
    store(l, out, l.linearize(at, batch), convert(l, result, ElementType::F64, out.type));
  });
}

std::string detLimit(Operation *op) {
  auto type = cast<RankedTensorType>(cast<graph::DetOp>(op).getInput().getType());
  return type.getShape().back() <= kMaxDeterminant
             ? ""
             : "takes the determinant of a matrix larger than 64 x 64";
}

} // namespace

void addTransformEmitters(EmitterTable &table) {
  table.addElement<graph::DFTOp, emitDFT>(dftLimit);
  table.addWhole<graph::DetOp, emitDet>(detLimit);
}

} // namespace convoy::kernels
