// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits pooling of regions of interest. The number of elements that a cell reads depends on data
// and differs between regions, so these ops compute one lane at a time. Regions and batch indices
// are clamped: an invalid one gives a wrong element, but never an out-of-bounds read or an endless
// loop.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using convoy::graph::UnaryKind;

namespace convoy::kernels {
namespace {

using ScalarEmitter = llvm::function_ref<Value(const ElementQuery &)>;

/// Returns the index of one lane.
Index laneOf(Lanes &scalar, const Index &x, Value lane) {
  if (x.varying) {
    return scalar.uniform(scalar.b.create<vector::ExtractElementOp>(x.varying, lane));
  }
  return scalar.uniform(
      scalar.add(scalar.uniform(x.base), scalar.mul(scalar.uniform(lane), x.step)).base);
}

/// Computes the lanes of an element one at a time.
Value perLane(KernelEmitter &k, const ElementQuery &q, Type scalarType, ScalarEmitter emit) {
  if (k.width == 1) {
    return emit(q);
  }
  int64_t width = k.width;
  auto vectorType = VectorType::get({width}, scalarType);
  Value start = k.b.create<arith::ConstantOp>(k.b.getZeroAttr(vectorType));
  k.width = 1;
  Value result = k.loop(width, {start}, [&](Value lane, ValueRange carried) {
    Lanes l = k.lanes();
    SmallVector<Index> at;
    for (const Index &index : q.at) {
      at.push_back(laneOf(l, index, lane));
    }
    bool isVectorMask = q.mask && isa<VectorType>(q.mask.getType());
    Value mask =
        isVectorMask ? k.b.create<vector::ExtractElementOp>(q.mask, lane).getResult() : q.mask;
    Value x = emit({q.result, at, mask});
    return SmallVector<Value>{k.b.create<vector::InsertElementOp>(x, carried[0], lane)};
  })[0];
  k.width = width;
  return result;
}

/// f64 scalars.
struct Numbers {
  Lanes l;
  Arithmetic a{l, ElementType::F64};

  explicit Numbers(KernelEmitter &k) : l(k.lanes()) {}

  Value of(double value) { return a.number(value); }
  Value less(Value x, Value y) { return l.compare(arith::CmpFPredicate::OLT, x, y); }
  Value atMost(Value x, Value y) { return l.compare(arith::CmpFPredicate::OLE, x, y); }
  /// Clamps x to [0, high]; NaN becomes 0.
  Value bounded(Value x, double high) {
    Value isPositive = less(of(0), x);
    Value isLow = less(x, of(high));
    return l.select(isPositive, l.select(isLow, x, of(high)), of(0));
  }
  /// Returns the integer part of a number that `bounded` has clamped.
  Value toIndex(Value x) {
    return l.fromValue(l.b.create<arith::FPToSIOp>(l.b.getI64Type(), x)).base;
  }
  Value fromIndex(Value x) {
    Value integer = l.b.create<arith::IndexCastOp>(l.b.getI64Type(), x);
    return l.b.create<arith::SIToFPOp>(l.b.getF64Type(), integer);
  }
  /// Rounds to the nearest integer, ties away from zero.
  Value round(Value x) {
    Value magnitude = a.unary(UnaryKind::Abs, x);
    Value floor = a.unary(UnaryKind::Floor, magnitude);
    Value isUp = atMost(of(0.5), a.sub(magnitude, floor));
    Value rounded = l.select(isUp, a.add(floor, of(1)), floor);
    return l.select(less(x, of(0)), a.sub(of(0), rounded), rounded);
  }
};

/// Returns an entry of a region as f64.
Value regionEntry(KernelEmitter &k, Value rois, const ElementQuery &q, int64_t entry) {
  Lanes l = k.lanes();
  Value x = k.element(rois, {q.at[0], l.constant(entry)}, q.mask);
  return convert(l, x, k.type(rois), ElementType::F64);
}

/// Returns a batch index from data, clamped to the batches of the input.
Index batchFrom(KernelEmitter &k, Value raw, ElementType type, int64_t batches) {
  Lanes l = k.lanes();
  Index batch = l.fromValue(convert(l, raw, type, ElementType::I64));
  return l.min(l.max(batch, 0), batches - 1);
}

//===-- roi_align -----------------------------------------------------------===//

// The limit of the reference, which rejects regions that need more samples.
constexpr double kMaxSamples = 4096;

/// One dimension of one region: the positions of the samples of a cell.
struct RegionAxis {
  Value begin, cell;
  Value samples; // index

  RegionAxis(graph::RoiAlignOp op, KernelEmitter &k, const ElementQuery &q, int64_t entry,
             int64_t cells) {
    Numbers n(k);
    double offset = op.getHalfPixel() ? 0.5 : 0.0;
    double scale = op.getSpatialScale().convertToDouble();
    auto edge = [&](int64_t i) {
      Value scaled = n.a.mul(regionEntry(k, op.getRois(), q, i), n.of(scale));
      return n.a.sub(scaled, n.of(offset));
    };
    begin = edge(entry);
    Value length = n.a.sub(edge(entry + 2), begin);
    length = op.getHalfPixel() ? length : n.a.max(length, n.of(1));
    cell = n.a.div(length, n.of(static_cast<double>(cells)));
    int64_t ratio = op.getSamplingRatio();
    samples = ratio > 0 ? k.index(std::min<int64_t>(ratio, kMaxSamples))
                        : n.toIndex(n.bounded(n.a.unary(UnaryKind::Ceil, cell), kMaxSamples));
  }

  /// Returns the position of a sample in cell `index`.
  Value at(Numbers &n, Value index, Value sample) const {
    Value start = n.a.add(begin, n.a.mul(n.fromIndex(index), cell));
    Value steps = n.a.mul(n.a.add(n.fromIndex(sample), n.of(0.5)), cell);
    return n.a.add(start, n.a.div(steps, n.fromIndex(samples)));
  }
};

/// Up to two neighbors along one dimension.
struct Neighbors {
  Value low, high; // index
  Value lowWeight, highWeight;
  Value isInside;

  /// Samples up to one element outside read the border; samples further outside are 0.
  Neighbors(Numbers &n, Value x, int64_t size) {
    auto last = static_cast<double>(size - 1);
    isInside = n.l.both(n.atMost(n.of(-1), x), n.atMost(x, n.of(last + 1)));
    Value inside = n.bounded(x, last);
    low = n.toIndex(inside);
    Index next = n.l.min(n.l.add(n.l.uniform(low), 1), size - 1);
    high = next.base;
    highWeight = n.a.sub(inside, n.fromIndex(low));
    lowWeight = n.a.sub(n.of(1), highWeight);
  }
};

/// The sum and the maximum of the samples of one cell. As ONNX specifies, the maximum is over
/// weighted neighbors, not over interpolated samples.
class CellPool {
public:
  CellPool(graph::RoiAlignOp op, KernelEmitter &k, const ElementQuery &q, Index batch)
      : op(op), k(k), q(q), batch(batch), shape(k.shape(op.getInput())) {}

  SmallVector<Value> sample(const RegionAxis &rows, const RegionAxis &columns, Value row,
                            Value column, ValueRange carried) {
    Numbers n(k);
    Neighbors y(n, rows.at(n, q.at[2].base, row), shape[2]);
    Neighbors x(n, columns.at(n, q.at[3].base, column), shape[3]);
    Value isInside = n.l.both(y.isInside, x.isInside);
    Value sum = carried[0];
    Value most = carried[1];
    for (bool isLow : {true, false}) {
      for (bool isLeft : {true, false}) {
        Value weight =
            n.a.mul(isLow ? y.lowWeight : y.highWeight, isLeft ? x.lowWeight : x.highWeight);
        Value element = read(isLow ? y.low : y.high, isLeft ? x.low : x.high);
        Value term = n.l.select(isInside, n.a.mul(weight, element), n.of(0));
        sum = n.a.add(sum, term);
        most = n.l.select(n.less(most, term), term, most);
      }
    }
    return {sum, most};
  }

private:
  Value read(Value row, Value column) {
    Lanes l = k.lanes();
    Value x = k.element(op.getInput(), {batch, q.at[1], l.uniform(row), l.uniform(column)}, q.mask);
    return convert(l, x, k.type(op.getInput()), ElementType::F64);
  }

  graph::RoiAlignOp op;
  KernelEmitter &k;
  const ElementQuery &q;
  Index batch;
  Shape shape;
};

Value alignRegion(graph::RoiAlignOp op, KernelEmitter &k, const ElementQuery &q) {
  Numbers n(k);
  Value raw = k.element(op.getBatchIndices(), {q.at[0]}, q.mask);
  Index batch = batchFrom(k, raw, k.type(op.getBatchIndices()), k.shape(op.getInput())[0]);
  RegionAxis rows(op, k, q, 1, op.getOutputHeight());
  RegionAxis columns(op, k, q, 0, op.getOutputWidth());
  CellPool pool(op, k, q, batch);
  Value zero = k.index(0);
  SmallVector<Value> start{n.of(0), n.of(-std::numeric_limits<double>::infinity())};
  SmallVector<Value> totals = k.loop(zero, rows.samples, start, [&](Value row, ValueRange outer) {
    return k.loop(zero, columns.samples, SmallVector<Value>(outer),
                  [&](Value column, ValueRange carried) {
                    return pool.sample(rows, columns, row, column, carried);
                  });
  });
  Value count = n.a.mul(n.fromIndex(rows.samples), n.fromIndex(columns.samples));
  Value hasSamples = n.less(n.of(0), count);
  Value result = op.getTakesMax() ? n.l.select(hasSamples, totals[1], n.of(0))
                                  : n.a.div(totals[0], n.l.select(hasSamples, count, n.of(1)));
  return convert(n.l, result, ElementType::F64, k.type(op.getResult()));
}

//===-- max_roi_pool --------------------------------------------------------===//

/// The elements [first, end) of one cell along one dimension, as indices.
struct CellRange {
  Value first, end;

  CellRange(graph::MaxRoiPoolOp op, KernelEmitter &k, const ElementQuery &q, int64_t entry,
            Value index, int64_t cells, int64_t size) {
    Numbers n(k);
    Value scale = n.of(op.getSpatialScale().convertToDouble());
    Value begin = n.round(n.a.mul(regionEntry(k, op.getRois(), q, entry), scale));
    Value last = n.round(n.a.mul(regionEntry(k, op.getRois(), q, entry + 2), scale));
    Value length = n.a.max(n.a.add(n.a.sub(last, begin), n.of(1)), n.of(1));
    Value cell = n.a.div(length, n.of(static_cast<double>(cells)));
    Value number = n.fromIndex(index);
    auto bounded = [&](Value x) {
      return n.toIndex(n.bounded(n.a.add(begin, x), static_cast<double>(size)));
    };
    first = bounded(n.a.unary(UnaryKind::Floor, n.a.mul(number, cell)));
    Value next = n.a.add(number, n.of(1));
    end = bounded(n.a.unary(UnaryKind::Ceil, n.a.mul(next, cell)));
  }
};

Value poolRegion(graph::MaxRoiPoolOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Shape shape = k.shape(op.getInput());
  ElementType type = k.type(op.getInput());
  Value raw = k.element(op.getRois(), {q.at[0], l.constant(0)}, q.mask);
  Index batch = batchFrom(k, raw, k.type(op.getRois()), shape[0]);
  ArrayRef<int64_t> pooled = op.getPooledShape();
  CellRange rows(op, k, q, 2, q.at[2].base, pooled[0], shape[2]);
  CellRange columns(op, k, q, 1, q.at[3].base, pooled[1], shape[3]);
  Arithmetic a{l, type};
  auto overColumns = [&](Value row, ValueRange outer) {
    return k.loop(columns.first, columns.end, SmallVector<Value>(outer),
                  [&](Value column, ValueRange carried) {
                    Lanes in = k.lanes();
                    Value x =
                        k.element(op.getInput(),
                                  {batch, q.at[1], in.uniform(row), in.uniform(column)}, q.mask);
                    return SmallVector<Value>{Arithmetic{in, type}.max(carried[0], x)};
                  });
  };
  Value most = k.loop(rows.first, rows.end, {a.lowest()}, overColumns)[0];
  auto isEmpty = [&](const CellRange &range) {
    return l.compare(arith::CmpIPredicate::sge, range.first, range.end);
  };
  // An empty cell is 0.
  return l.select(l.op<arith::OrIOp>(isEmpty(rows), isEmpty(columns)), a.number(0), most);
}

/// Computes the cells of regions one lane at a time. The cells of an empty input are 0.
template <typename OpT, Value (*kPool)(OpT, KernelEmitter &, const ElementQuery &)>
Value emitRegion(OpT op, KernelEmitter &k, const ElementQuery &q) {
  if (llvm::is_contained(k.shape(op.getInput()), 0)) {
    return Arithmetic{k.lanes(), k.type(op.getResult())}.number(0);
  }
  return perLane(k, q, k.registerType(op.getResult()),
                 [&](const ElementQuery &lane) { return kPool(op, k, lane); });
}

} // namespace

void addRegionEmitters(EmitterTable &table) {
  table.addElement<graph::RoiAlignOp, emitRegion<graph::RoiAlignOp, alignRegion>>();
  table.addElement<graph::MaxRoiPoolOp, emitRegion<graph::MaxRoiPoolOp, poolRegion>>();
}

} // namespace convoy::kernels
