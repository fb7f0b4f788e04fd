// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits reductions along axes: loops over the reduced box with one accumulator per lane. f16 and
// narrower floats accumulate in a wider type and round once. Also emits dynamic_scale, which
// reduces a whole tensor.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Loops/Limits.h"
#include "Kernels/Loops/Reductions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using convoy::graph::ReduceKind;

namespace convoy::kernels {

Value termOf(Arithmetic &a, ReduceKind kind, Value x, Value maximum) {
  switch (kind) {
  case ReduceKind::L1:
    return a.unary(graph::UnaryKind::Abs, x);
  case ReduceKind::L2:
  case ReduceKind::SumSquare:
    return a.mul(x, x);
  case ReduceKind::LogSumExp:
    return a.lanes.b.create<math::ExpOp>(a.sub(x, maximum));
  default:
    return x;
  }
}

Value addTerm(Arithmetic &a, ReduceKind kind, Value sum, Value x) {
  switch (kind) {
  case ReduceKind::Max:
    return a.max(sum, x);
  case ReduceKind::Min:
    return a.min(sum, x);
  case ReduceKind::Prod:
    return a.mul(sum, x);
  default:
    return a.add(sum, x);
  }
}

Value startOf(Arithmetic &a, ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Max:
    return a.lowest();
  case ReduceKind::Min:
    return a.highest();
  case ReduceKind::Prod:
    return a.number(1);
  default:
    return a.number(0);
  }
}

bool isSum(ReduceKind kind) {
  return kind == ReduceKind::Sum || kind == ReduceKind::Mean || kind == ReduceKind::L1 ||
         kind == ReduceKind::L2 || kind == ReduceKind::SumSquare || kind == ReduceKind::LogSum;
}

ElementType accumulatorType(ReduceKind kind, ElementType type) {
  if (!isInteger(type)) {
    // A product of f32 may overflow before a factor of 0, which would give NaN.
    bool isWide = isSum(kind) || kind == ReduceKind::Prod;
    return isFloat(type) && isWide ? ElementType::F64 : type;
  }
  switch (kind) {
  case ReduceKind::Mean:
    return isSignedInteger(type) ? ElementType::I64 : ElementType::U64;
  case ReduceKind::L2:
  case ReduceKind::LogSum:
  case ReduceKind::LogSumExp:
    return ElementType::F64;
  default:
    return type;
  }
}

Value finishTerms(Arithmetic &a, ReduceKind kind, Value sum, int64_t count, Value maximum) {
  switch (kind) {
  case ReduceKind::Mean:
    return a.div(sum, a.number(static_cast<double>(count)));
  case ReduceKind::L2:
    return a.lanes.b.create<math::SqrtOp>(sum);
  case ReduceKind::LogSum:
    return a.lanes.b.create<math::LogOp>(sum);
  case ReduceKind::LogSumExp:
    return a.add(a.lanes.b.create<math::LogOp>(sum), maximum);
  default:
    return sum;
  }
}

namespace {

/// Returns which dimensions are reduced.
SmallVector<bool> reducedDims(graph::ReduceOp op, KernelEmitter &k) {
  int64_t rank = k.shape(op.getInput()).size();
  Shape axes = op.getAxes() ? k.ints(op.getAxes()) : Shape();
  SmallVector<bool> isReduced(rank, axes.empty() && !op.getNoopWithEmptyAxes());
  for (int64_t axis : axes) {
    isReduced[axis < 0 ? axis + rank : axis] = true;
  }
  return isReduced;
}

/// Returns coordinates in the input: kept dimensions from the result, reduced dimensions from
/// loops.
SmallVector<Index> inputAt(ArrayRef<bool> isReduced, bool keepDims, ArrayRef<Index> at,
                           ArrayRef<Value> ivs) {
  SmallVector<Index> result;
  size_t kept = 0;
  size_t loop = 0;
  for (bool reduced : isReduced) {
    if (reduced) {
      result.push_back(Index{ivs[loop++], 0, {}});
      kept += keepDims ? 1 : 0;
    } else {
      result.push_back(at[kept++]);
    }
  }
  return result;
}

Value emitReduce(graph::ReduceOp op, KernelEmitter &k, const ElementQuery &q) {
  Shape shape = k.shape(op.getInput());
  SmallVector<bool> isReduced = reducedDims(op, k);
  SmallVector<int64_t> box;
  for (auto [dim, reduced] : llvm::zip(shape, isReduced)) {
    if (reduced) {
      box.push_back(dim);
    }
  }
  ElementType given = k.type(op.getInput());
  ElementType type = accumulatorType(op.getKind(), given);
  auto fold = [&](ReduceKind kind, Value maximum) {
    Arithmetic a{k.lanes(), type};
    return k.loops(box, {startOf(a, kind)}, [&](ArrayRef<Value> ivs, ValueRange carried) {
      Arithmetic inner{k.lanes(), type};
      Value x = k.element(op.getInput(), inputAt(isReduced, op.getKeepDims(), q.at, ivs), q.mask);
      x = convert(inner.lanes, x, given, type);
      return SmallVector<Value>{addTerm(inner, kind, carried[0], termOf(inner, kind, x, maximum))};
    })[0];
  };
  Arithmetic a{k.lanes(), type};
  Value maximum;
  if (op.getKind() == ReduceKind::LogSumExp) {
    // An infinite maximum would make x - max NaN.
    maximum = fold(ReduceKind::Max, {});
    Value isInfinite = a.unary(graph::UnaryKind::IsInf, maximum);
    maximum = a.lanes.select(isInfinite, a.number(0), maximum);
  }
  Value sum = fold(op.getKind(), maximum);
  int64_t count = elementCount(Shape(box)).value_or(0);
  Value result = finishTerms(a, op.getKind(), sum, count, maximum);
  return roundTo(a.lanes, given, convert(a.lanes, result, type, given));
}

std::string reduceLimit(Operation *op) {
  return firstNotConstant({{cast<graph::ReduceOp>(op).getAxes(), "axes"}});
}

Value emitArgReduce(graph::ArgReduceOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getInput());
  int64_t axis = op.getAxis();
  axis += axis < 0 ? k.shape(op.getInput()).size() : 0;
  auto at = [&](Value i) {
    SmallVector<Index> result(q.at.begin(), q.at.begin() + axis);
    result.push_back(Index{i, 0, {}});
    result.append(q.at.begin() + axis + (op.getKeepDims() ? 1 : 0), q.at.end());
    return result;
  };
  Lanes outer = k.lanes();
  Value first = k.element(op.getInput(), at(k.index(0)), q.mask);
  Value zero = outer.intOf(outer.b.getI64Type(), 0);
  int64_t extent = k.shape(op.getInput())[axis];
  return k.loop(extent, {first, zero}, [&](Value i, ValueRange carried) {
    Lanes l = k.lanes();
    Arithmetic a{l, type};
    Value x = k.element(op.getInput(), at(i), q.mask);
    Value isBetter = a.outranks(x, carried[0], op.getTakesMax());
    if (op.getSelectLast()) {
      // Neither outranks the other: both are equal or both are NaN.
      Value isWorse = a.outranks(carried[0], x, op.getTakesMax());
      isBetter = l.op<arith::XOrIOp>(isWorse, l.intOf(l.b.getI1Type(), 1));
    }
    Value position = l.toValue(l.uniform(i), l.b.getI64Type());
    return SmallVector<Value>{l.select(isBetter, x, carried[0]),
                              l.select(isBetter, position, carried[1])};
  })[1];
}

/// The lowest and the highest element, or 0 if all elements are above or below 0.
struct Extremes {
  Value low, high;
};

/// Loops over vectors of the input with several independent accumulators. The last step overlaps
/// the previous one.
Extremes emitRange(Value input, KernelEmitter &k) {
  constexpr int64_t kAccumulators = 4;
  int64_t count = elementCount(k.shape(input)).value_or(0);
  Arithmetic single{k.lanes(), ElementType::F32};
  if (count == 0) {
    return {single.number(0), single.number(0)};
  }
  int64_t width = k.vectorLanes(ElementType::F32, count);
  int64_t parts = std::min(kAccumulators, count / width);
  int64_t step = width * parts;
  k.width = width;
  SmallVector<Value> zeros(2 * parts, single.number(0));
  SmallVector<Value> found =
      k.loop((count + step - 1) / step, zeros, [&](Value i, mlir::ValueRange carried) {
        Arithmetic a{k.lanes(), ElementType::F32};
        Index first = a.lanes.min(a.lanes.mul(a.lanes.uniform(i), step), count - step);
        SmallVector<Value> next(carried);
        for (int64_t part = 0; part < parts; ++part) {
          Index at = a.lanes.add(first, part * width);
          Value x = k.elementAt(input, {at.base, width == 1 ? 0 : 1, {}});
          next[2 * part] = a.min(next[2 * part], x);
          next[2 * part + 1] = a.max(next[2 * part + 1], x);
        }
        return next;
      });
  Arithmetic a{k.lanes(), ElementType::F32};
  Value low = found[0], high = found[1];
  for (int64_t part = 1; part < parts; ++part) {
    low = a.min(low, found[2 * part]);
    high = a.max(high, found[2 * part + 1]);
  }
  k.width = 1;
  if (width == 1) {
    return {low, high};
  }
  Extremes range{single.number(0), single.number(0)};
  for (int64_t lane = 0; lane < width; ++lane) {
    range.low = single.min(range.low, k.b.create<vector::ExtractOp>(low, lane));
    range.high = single.max(range.high, k.b.create<vector::ExtractOp>(high, lane));
  }
  return range;
}

void emitDynamicScale(graph::DynamicScaleOp op, KernelEmitter &k) {
  Extremes range = emitRange(op.getInput(), k);
  Lanes l = k.lanes();
  Arithmetic a{l, ElementType::F32};
  Value size = a.sub(range.high, range.low);
  Value scale = l.select(a.equal(size, a.number(0)), a.number(1), a.div(size, a.number(255)));
  Value zero = l.b.create<math::RoundEvenOp>(a.div(a.sub(a.number(0), range.low), scale));
  // NaN fails both comparisons and becomes 0 in the conversion.
  zero = l.select(a.less(zero, a.number(0)), a.number(0), zero);
  zero = l.select(a.less(a.number(255), zero), a.number(255), zero);
  if (std::optional<Buffer> out = k.output(op, 0)) {
    store(l, *out, l.constant(0), scale);
  }
  if (std::optional<Buffer> out = k.output(op, 1)) {
    store(l, *out, l.constant(0), convert(l, zero, ElementType::F32, ElementType::U8));
  }
}

} // namespace

void addReductionEmitters(EmitterTable &table) {
  table.addWhole<graph::DynamicScaleOp, emitDynamicScale>();
  table.addElement<graph::ReduceOp, emitReduce>(reduceLimit);
  table.addElement<graph::ArgReduceOp, emitArgReduce>();
}

} // namespace convoy::kernels
