// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the loops of KernelEmitter: single loops, boxes, and nests over all elements of a
// value with lanes along one dimension.

#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {

KernelEmitter::Values KernelEmitter::loop(Value lower, Value upper, ArrayRef<Value> carried,
                                          LoopBody body) {
  Lanes l = lanes();
  SmallVector<Value> initial;
  for (Value value : carried) {
    initial.push_back(l.splat(value));
  }
  auto op = b.create<scf::ForOp>(lower, upper, index(1), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> next = body(op.getInductionVar(), op.getRegionIterArgs());
  for (Value &value : next) {
    value = l.splat(value);
  }
  if (!carried.empty()) {
    b.create<scf::YieldOp>(next);
  }
  return SmallVector<Value>(op.getResults());
}

KernelEmitter::Values KernelEmitter::loop(int64_t upper, ArrayRef<Value> carried, LoopBody body) {
  if (upper == 1) {
    return body(index(0), ValueRange(carried));
  }
  return loop(index(0), index(upper), carried, body);
}

void KernelEmitter::loop(Value lower, Value upper, llvm::function_ref<void(Value)> body) {
  loop(lower, upper, {}, [&](Value i, ValueRange) {
    body(i);
    return Values();
  });
}

void KernelEmitter::loop(int64_t upper, llvm::function_ref<void(Value)> body) {
  if (upper == 1) {
    return body(index(0));
  }
  loop(index(0), index(upper), body);
}

KernelEmitter::Values KernelEmitter::loops(ArrayRef<int64_t> box, ArrayRef<Value> carried,
                                           BoxBody body) {
  SmallVector<Value> at;
  std::function<SmallVector<Value>(ArrayRef<Value>)> inner = [&](ArrayRef<Value> values) {
    if (at.size() == box.size()) {
      return body(at, ValueRange(values));
    }
    return loop(box[at.size()], values, [&](Value i, ValueRange now) {
      at.push_back(i);
      SmallVector<Value> next = inner(SmallVector<Value>(now));
      at.pop_back();
      return next;
    });
  };
  return inner(SmallVector<Value>(carried));
}

void KernelEmitter::nest(Value value, llvm::function_ref<void(ArrayRef<Index>)> body) {
  if (int64_t block = graph::channelBlock(value.getType())) {
    emitBlockedNest(shape(value), block, /*usesRange=*/true, body);
  } else {
    emitNest(shape(value), type(value), /*usesRange=*/true, body);
  }
}

void KernelEmitter::wholeNest(ArrayRef<int64_t> shape, ElementType type, int64_t block,
                              llvm::function_ref<void(ArrayRef<Index>)> body) {
  if (block != 0) {
    emitBlockedNest(shape, block, /*usesRange=*/false, body);
  } else {
    emitNest(shape, type, /*usesRange=*/false, body);
  }
}

bool KernelEmitter::isVectorBlock(int64_t block) const {
  return llvm::isPowerOf2_64(static_cast<uint64_t>(block)) && block <= vectorBytes;
}

/// Emits blocks as outermost loops, pixels inside, and lanes along the channels of a block. Rows of
/// blocks are one loop, so that the range has many steps. If a block is not a vector, the innermost
/// loop runs over single channels.
void KernelEmitter::emitBlockedNest(ArrayRef<int64_t> shape, int64_t block, bool usesRange,
                                    llvm::function_ref<void(ArrayRef<Index>)> body) {
  size_t channel = graph::channelDim(shape.size());
  Shape outer(shape.take_front(channel));
  outer.push_back(llvm::divideCeilSigned(shape[channel], block));
  size_t next = channel + 1;
  if (next + 1 < shape.size()) {
    outer.push_back(shape[next++]);
  }
  bool isVector = isVectorBlock(block);
  Shape inner(shape.drop_front(next));
  if (!isVector) { // one loop over all channels, with the pixels outside
    outer[channel] = 1;
    inner.push_back(shape[channel]);
  }
  width = 1;
  auto step = [&](Value i) {
    width = 1;
    Lanes scalar = lanes();
    SmallVector<Index> at = scalar.delinearize(scalar.uniform(i), outer);
    at[channel] = isVector ? blockOfChannels(at[channel].base, block) : scalar.constant(0);
    loops(inner, {}, [&](ArrayRef<Value> ivs, ValueRange) {
      SmallVector<Index> whole(at);
      for (Value iv : ivs) {
        whole.push_back(scalar.uniform(iv));
      }
      if (!isVector) {
        whole[channel] = whole.pop_back_val();
      }
      width = isVector ? block : 1;
      body(whole);
      width = 1;
      return SmallVector<Value>();
    });
  };
  int64_t steps = elementCount(outer).value_or(0);
  if (usesRange) {
    range = steps;
    loop(begin, end, step);
  } else {
    loop(steps, step);
  }
}

void KernelEmitter::emitNest(ArrayRef<int64_t> shape, ElementType type, bool usesRange,
                             llvm::function_ref<void(ArrayRef<Index>)> body) {
  SmallVector<Index> at(shape.size());
  int64_t laneDim = static_cast<int64_t>(shape.size()) - 1;
  while (laneDim >= 0 && shape[laneDim] == 1) {
    --laneDim;
  }
  int64_t row = laneDim < 0 ? 1 : shape[laneDim];
  int64_t rowWidth = vectorLanes(type, row);
  width = 1;
  Lanes scalar = lanes();
  bool isOutermost = usesRange;
  std::function<void(int64_t)> emitFrom = [&](int64_t dim) {
    if (dim == laneDim) {
      int64_t steps = llvm::divideCeilSigned(row, rowWidth);
      auto step = [&](Value i) {
        width = rowWidth;
        Value first = b.createOrFold<arith::MulIOp>(i, index(rowWidth));
        if (row % rowWidth != 0) {
          // The last vector overlaps the previous one, which avoids a masked tail. A kernel never
          // reads its own result, so writing an element twice is harmless.
          first = b.createOrFold<arith::MinSIOp>(first, index(row - rowWidth));
        }
        at[dim] = Index{first, 1, {}};
        body(at);
        width = 1;
      };
      if (isOutermost && row % rowWidth != 0) {
        // The overlapping vector belongs to the previous step, because two tasks must not write the
        // same bytes, not even with the same values.
        range = steps - 1;
        Value isLast = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, end, index(range));
        loop(begin, b.create<arith::SelectOp>(isLast, index(steps), end), step);
      } else if (isOutermost) {
        range = steps;
        loop(begin, end, step);
      } else {
        loop(steps, step);
      }
      return;
    }
    if (dim == static_cast<int64_t>(shape.size())) {
      body(at); // A single element.
      return;
    }
    if (shape[dim] == 1) {
      at[dim] = scalar.constant(0);
      emitFrom(dim + 1);
      return;
    }
    auto step = [&](Value i) {
      at[dim] = scalar.uniform(i);
      emitFrom(dim + 1);
    };
    if (std::exchange(isOutermost, false)) {
      range = shape[dim];
      loop(begin, end, step);
    } else {
      loop(shape[dim], step);
    }
  };
  // All dimensions after the lane dimension are 1.
  for (int64_t dim = laneDim + 1; dim < static_cast<int64_t>(shape.size()); ++dim) {
    at[dim] = scalar.constant(0);
  }
  emitFrom(laneDim < 0 ? static_cast<int64_t>(shape.size()) : 0);
}

void KernelEmitter::serialNest(ArrayRef<int64_t> shape,
                               llvm::function_ref<void(ArrayRef<Index>)> body) {
  width = 1;
  loops(shape, {}, [&](ArrayRef<Value> ivs, ValueRange) {
    SmallVector<Index> at;
    for (Value iv : ivs) {
      at.push_back(Index{iv, 0, {}});
    }
    body(at);
    return SmallVector<Value>();
  });
}

} // namespace convoy::kernels
