// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the input of a band in whole vectors. With a stride, the code first completes a padded row
// and then distributes it to planes with shuffles.

#include "Kernels/Core/PackBand.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

namespace {

/// Returns whether a tap reads every stride-th element starting at `phase`.
bool isRead(int64_t phase, int64_t taps, int64_t dilation, int64_t stride) {
  return llvm::any_of(llvm::seq<int64_t>(0, taps),
                      [&](int64_t tap) { return tap * dilation % stride == phase; });
}

class Packer : public LoopNest {
public:
  Packer(KernelFunction &function, const ConvProblem &p, const BandPlan &plan, Value scratch,
         Value input, float padding)
      : LoopNest(function.b), p(p), plan(plan), x(input), padding(padding) {
    packed = function.scratchFloats(scratch, plan.inputElements);
    sums = function.scratchFloats(add(scratch, plan.inputElements), plan.sumElements);
    if (plan.rowElements > 0) {
      row = function.scratchFloats(add(scratch, plan.inputElements + plan.sumElements),
                                   plan.rowElements);
    }
  }

  /// Fills the memory that copies do not write: the padding of the row buffer and, if `isAll` is
  /// set, rows outside the input.
  void clear(bool isAll) {
    if (row) {
      fill(row, index(0), plan.rowElements);
    }
    if (isAll) {
      fill(packed, index(0), p.inputChannels * plan.channel);
    }
    isCleared = isAll;
  }

  PackedBand pack(Value batch, Value band) {
    Value firstRow = add(mul(band, plan.rows * p.strideRows), -p.padTop);
    loop(p.inputChannels, [&](Value channel) {
      Value image = mul(add(mul(batch, p.inputChannels), channel), p.inputRows * p.inputColumns);
      loop(plan.planeRows, [&](Value j) {
        for (int64_t phase = 0; phase < p.strideRows; ++phase) {
          if (!isRead(phase, p.kernelRows, p.dilationRows, p.strideRows)) {
            continue;
          }
          Value at = add(firstRow, add(mul(j, p.strideRows), phase));
          Value to = add(mul(channel, plan.channel), mul(j, plan.pitch));
          to = add(to, phase * p.strideColumns * plan.plane);
          packRow(image, at, to);
        }
      });
    });
    return {packed, sums};
  }

private:
  void fill(Value memory, Value first, int64_t count) {
    forVectors(count, plan.lanes, [&](int64_t at, int64_t width) {
      FloatAttr scalar = b.getF32FloatAttr(padding);
      TypedAttr value = scalar;
      if (width > 1) {
        value = DenseElementsAttr::get(VectorType::get({width}, b.getF32Type()), scalar);
      }
      storeLanes(b, b.create<arith::ConstantOp>(value), memory, add(first, at));
    });
  }

  void copy(Value from, Value memory, Value to) {
    forVectors(plan.copiedColumns, plan.lanes, [&](int64_t at, int64_t width) {
      storeLanes(b, loadLanes(b, x, add(from, at), width), memory, add(to, at));
    });
  }

  void forPhases(llvm::function_ref<void(int64_t)> body) {
    for (int64_t phase = 0; phase < p.strideColumns; ++phase) {
      if (isRead(phase, p.kernelColumns, p.dilationColumns, p.strideColumns)) {
        body(phase);
      }
    }
  }

  /// Copies the input row `at`, or fills the row with padding if it is outside the input.
  void packRow(Value image, Value at, Value to) {
    // As unsigned numbers, negative rows are above the last row.
    Value isInside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, at, index(p.inputRows));
    auto copyInside = [&] {
      Value from = add(image, mul(at, p.inputColumns));
      if (row) {
        copy(from, row, index(p.padLeft));
        return dealOut(to);
      }
      int64_t right = p.padLeft + plan.copiedColumns;
      fill(packed, to, p.padLeft);
      copy(from, packed, add(to, p.padLeft));
      fill(packed, add(to, right), plan.pitch - right);
    };
    auto pad = [&] {
      forPhases([&](int64_t phase) { fill(packed, add(to, phase * plan.plane), plan.pitch); });
    };
    branch(isInside, copyInside, isCleared ? nullptr : llvm::function_ref<void()>(pad));
  }

  /// Distributes the columns of the completed row to planes: every stride-th column, starting at
  /// each phase. All planes share one load, which LLVM recognizes as an interleaved load.
  void dealOut(Value to) {
    int64_t stride = p.strideColumns;
    forVectors(std::max(plan.pitch, plan.dealtLanes), plan.dealtLanes,
               [&](int64_t at, int64_t width) {
                 Value columns;
                 if (width > 1) {
                   columns = loadLanes(b, row, index(at * stride), powerFrom(width * stride));
                 }
                 forPhases([&](int64_t phase) {
                   Value dealt = columns ? everyNth(columns, phase, width)
                                         : loadLanes(b, row, index(at * stride + phase), 1);
                   storeLanes(b, dealt, packed, add(to, phase * plan.plane + at));
                 });
               });
  }

  Value everyNth(Value columns, int64_t phase, int64_t width) {
    SmallVector<int64_t> places;
    for (int64_t i = 0; i < width; ++i) {
      places.push_back(i * p.strideColumns + phase);
    }
    return b.create<vector::ShuffleOp>(columns, columns, places);
  }

  const ConvProblem &p;
  const BandPlan &plan;
  Value x, packed, sums, row;
  float padding;
  bool isCleared = false;
};

} // namespace

PackedBand packBand(KernelFunction &function, const ConvProblem &problem, const BandPlan &plan,
                    Value input, Value batch, Value band, float padding) {
  Value scratch = function.b.create<arith::ConstantIndexOp>(0);
  Packer packer(function, problem, plan, scratch, input, padding);
  packer.clear(/*isAll=*/false);
  return packer.pack(batch, band);
}

void packPlanes(KernelFunction &function, const ConvProblem &problem, const BandPlan &plan,
                Value scratch, Value input, Value band, PlaneRange planes,
                llvm::function_ref<void(Value, PackedBand)> body) {
  Packer packer(function, problem, plan, scratch, input, /*padding=*/0);
  packer.clear(/*isAll=*/true);
  packer.loop(planes.low, planes.high, [&](Value plane) {
    body(plane, packer.pack(packer.add(planes.first, plane), band));
  });
}

} // namespace convoy::kernels
