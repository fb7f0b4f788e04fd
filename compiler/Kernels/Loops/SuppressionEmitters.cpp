// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits non-maximum suppression. Boxes and scores are compared in f64, as in the reference, so that
// both keep the same boxes. The boxes of a class come in descending order of their scores, with the
// boxes whose scores are not above the threshold last. The rows of the result are the kept boxes.

#include "Graph/Extent.h"
#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/DenseStores.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

using F = arith::CmpFPredicate;

struct Box {
  Value top, left, bottom, right; // f64
};

class Suppression {
public:
  Suppression(graph::BoundedSuppressionOp op, KernelEmitter &k)
      : op(op), k(k), out(*k.output(op, 0)), scores(k.shape(op.getScores())) {}

  void emit() {
    readLimits();
    int64_t classes = scores[0] * scores[1];
    auto end = k.loop(classes, {k.index(0)}, [&](Value item, ValueRange now) {
      Value start = now[0];
      auto visitPlace = [&](Value place, ValueRange inner) {
        return SmallVector<Value>{visit(item, place, start, inner[0])};
      };
      return k.loop(k.index(0), visitedPlaces(item), {start}, visitPlace);
    });
    storeExtent(k, k.output(op, 1), end[0]);
    Value elements = k.b.createOrFold<arith::MulIOp>(end[0], k.index(3));
    clearRest(k, out, elements, classes * static_cast<int64_t>(op.getMaxRows()) * 3);
  }

private:
  Value scalar(Value operand, ElementType type) {
    Lanes l = k.lanes();
    return convert(l, k.elementAt(operand, l.constant(0)), k.type(operand), type);
  }

  void readLimits() {
    Lanes l = k.lanes();
    Value rows = l.intOf(k.b.getI64Type(), op.getMaxRows());
    limit = rows;
    if (op.getMaxBoxesPerClass()) {
      // A limit above the number of boxes is the number of boxes.
      limit = k.b.createOrFold<arith::MinSIOp>(scalar(op.getMaxBoxesPerClass(), ElementType::I64),
                                               rows);
    }
    iouThreshold = op.getIouThreshold() ? scalar(op.getIouThreshold(), ElementType::F64)
                                        : l.constantOf(k.b.getF64Type(), 0);
    if (op.getScoreThreshold()) {
      scoreThreshold = scalar(op.getScoreThreshold(), ElementType::F64);
    }
  }

  /// Returns the number of places after which there is no candidate. NaN counts, because
  /// sort_slices puts NaN first.
  Value visitedPlaces(Value item) {
    if (!scoreThreshold) {
      return k.index(scores[2]);
    }
    return k.loop(scores[2], {k.index(0)}, [&](Value box, ValueRange now) {
      Lanes l = k.lanes();
      Value mayBeAbove = l.compare(F::UGT, scoreOf(item, box), scoreThreshold);
      return SmallVector<Value>{advance(k, now[0], mayBeAbove, 1)};
    })[0];
  }

  Value scoreOf(Value item, Value box) {
    Lanes l = k.lanes();
    Index at = l.add(l.mul(l.uniform(item), scores[2]), l.uniform(box));
    return convert(l, k.elementAt(op.getScores(), at), k.type(op.getScores()), ElementType::F64);
  }

  /// Stores the box at a place of the order if the class keeps it. Returns the next row.
  Value visit(Value item, Value place, Value start, Value row) {
    Lanes l = k.lanes();
    Index at = l.add(l.mul(l.uniform(item), scores[2]), l.uniform(place));
    Value box = l.fromValue(k.elementAt(op.getOrder(), at)).base;
    Value batch = l.div(l.uniform(item), scores[1]).base;
    Value isOpen = l.both(isCandidate(item, box), hasRoom(start, row));
    // A box that is not kept in any case is compared with no box.
    Value compared = l.select(isOpen, row, start);
    Value isCovered = coveredBy(batch, box, start, compared);
    Value isKept = l.both(isOpen, l.op<arith::XOrIOp>(isCovered, l.intOf(k.b.getI1Type(), 1)));
    emitIf(k, isKept, [&] {
      Value entries[] = {batch, l.rem(l.uniform(item), scores[1]).base, box};
      for (int64_t i = 0; i < 3; ++i) {
        Lanes in = k.lanes();
        store(in, out, in.add(in.mul(in.uniform(row), 3), i),
              in.toValue(in.uniform(entries[i]), k.b.getI64Type()));
      }
    });
    return advance(k, row, isKept, 1);
  }

  /// Returns whether the score of a box is a number above the threshold.
  Value isCandidate(Value item, Value box) {
    Lanes l = k.lanes();
    Value score = scoreOf(item, box);
    return l.compare(scoreThreshold ? F::OGT : F::OEQ, score,
                     scoreThreshold ? scoreThreshold : score);
  }

  /// Returns whether the class has fewer boxes than the limit.
  Value hasRoom(Value start, Value row) {
    Lanes l = k.lanes();
    Value kept = k.b.createOrFold<arith::SubIOp>(row, start);
    return l.compare(arith::CmpIPredicate::slt, l.toValue(l.uniform(kept), k.b.getI64Type()),
                     limit);
  }

  /// Returns whether the box overlaps a box in the rows from `start` to `end`.
  Value coveredBy(Value batch, Value box, Value start, Value end) {
    Box mine = boxAt(batch, box);
    Value no = k.lanes().intOf(k.b.getI1Type(), 0);
    return k.loop(start, end, {no}, [&](Value row, ValueRange now) {
      Lanes l = k.lanes();
      Value other = load(l, out, l.add(l.mul(l.uniform(row), 3), 2));
      Value iou = overlap(mine, boxAt(batch, l.fromValue(other).base));
      Value isAbove = l.compare(F::OGT, iou, iouThreshold);
      return SmallVector<Value>{l.op<arith::OrIOp>(now[0], isAbove)};
    })[0];
  }

  Box boxAt(Value batch, Value box) {
    Lanes l = k.lanes();
    Index first = l.mul(l.add(l.mul(l.uniform(batch), scores[2]), l.uniform(box)), 4);
    Value v[4];
    for (int64_t i = 0; i < 4; ++i) {
      v[i] = convert(l, k.elementAt(op.getBoxes(), l.add(first, i)), k.type(op.getBoxes()),
                     ElementType::F64);
    }
    if (!op.getBoxesAreCentered()) {
      // The coordinates are any two opposite corners.
      return {least(v[0], v[2]), least(v[1], v[3]), most(v[0], v[2]), most(v[1], v[3])};
    }
    // Center x, center y, width, height.
    Value two = l.constantOf(k.b.getF64Type(), 2);
    Value halfHeight = l.op<arith::DivFOp>(v[3], two);
    Value halfWidth = l.op<arith::DivFOp>(v[2], two);
    return {l.op<arith::SubFOp>(v[1], halfHeight), l.op<arith::SubFOp>(v[0], halfWidth),
            l.op<arith::AddFOp>(v[1], halfHeight), l.op<arith::AddFOp>(v[0], halfWidth)};
  }

  // The functions return x if a value is NaN, as std::min and std::max do.
  Value least(Value x, Value y) {
    Lanes l = k.lanes();
    return l.select(l.compare(F::OLT, y, x), y, x);
  }
  Value most(Value x, Value y) {
    Lanes l = k.lanes();
    return l.select(l.compare(F::OLT, x, y), y, x);
  }

  Value area(const Box &box) {
    Lanes l = k.lanes();
    return l.op<arith::MulFOp>(l.op<arith::SubFOp>(box.bottom, box.top),
                               l.op<arith::SubFOp>(box.right, box.left));
  }

  /// Returns the intersection over union.
  Value overlap(const Box &a, const Box &b) {
    Lanes l = k.lanes();
    Value zero = l.constantOf(k.b.getF64Type(), 0);
    Value height = l.op<arith::SubFOp>(least(a.bottom, b.bottom), most(a.top, b.top));
    Value width = l.op<arith::SubFOp>(least(a.right, b.right), most(a.left, b.left));
    Value isApart =
        l.op<arith::OrIOp>(l.compare(F::OLE, height, zero), l.compare(F::OLE, width, zero));
    Value shared = l.op<arith::MulFOp>(height, width);
    Value joined = l.op<arith::SubFOp>(l.op<arith::AddFOp>(area(a), area(b)), shared);
    Value ratio = l.op<arith::DivFOp>(shared, joined);
    Value isPositive = l.compare(F::OGT, joined, zero);
    return l.select(isApart, zero, l.select(isPositive, ratio, zero));
  }

  graph::BoundedSuppressionOp op;
  KernelEmitter &k;
  Buffer out;
  Shape scores;                       // N x classes x B
  Value limit;                        // i64
  Value iouThreshold, scoreThreshold; // f64; no score threshold: null
};

void emitBoundedSuppression(graph::BoundedSuppressionOp op, KernelEmitter &k) {
  Suppression(op, k).emit();
}

} // namespace

void addSuppressionEmitters(EmitterTable &table) {
  table.addWhole<graph::BoundedSuppressionOp, emitBoundedSuppression>();
}

} // namespace convoy::kernels
