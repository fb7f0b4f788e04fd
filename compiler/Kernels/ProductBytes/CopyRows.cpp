// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the copy of rows. Signed bytes become unsigned by adding 128 if
// the dot product multiplies unsigned bytes, and the reverse. The bytes after the last one
// of a row are 0, because the weights at their position may belong to the next panel.

#include "Kernels/Core/LoopNest.h"
#include "Kernels/ProductBytes/RowsPlan.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class RowCopier : LoopNest {
public:
  RowCopier(KernelFunction &function, const BytesProduct &product, const RowsPlan &plan,
            DotProduct &dot)
      : LoopNest(function.b), function(function), p(product), plan(plan), dot(dot) {}

  /// Copies the rows [first, last) to the start of the scratch memory of rows.
  void copy(Value first, Value last) {
    loop(first, last, [&](Value row) { copyRow(mul(row, p.depth), sub(row, first)); });
  }

private:
  void copyRow(Value from, Value row) {
    Value to = add(mul(row, plan.rowStride()), plan.inputAt);
    int64_t whole = p.depth / plan.chunkBytes;
    Value sums = dot.splat(0);
    if (whole > 0) {
      sums = loop(whole, {sums}, [&](Value chunk, const Values &carried) -> Values {
        Value source = add(from, mul(chunk, plan.chunkBytes));
        Value loaded = asFactor(loadBytes(function.operand(p.lhs), source, plan.chunkBytes));
        Value target = add(to, mul(chunk, plan.chunkStride()));
        b.create<vector::StoreOp>(loaded, function.scratch(), target);
        return {addAll(carried[0], loaded)};
      })[0];
    }
    if (whole < plan.chunks) {
      sums =
          copyTail(add(from, whole * plan.chunkBytes), add(to, whole * plan.chunkStride()), sums);
    }
    Value total = b.create<vector::ReductionOp>(vector::CombiningKind::ADD, sums);
    Value lane = b.create<vector::BroadcastOp>(VectorType::get({1}, b.getI32Type()), total);
    b.create<vector::StoreOp>(b.create<vector::BitCastOp>(bytes(kSumBytes), lane),
                              function.scratch(), add(mul(row, kSumBytes), plan.rowSumsAt));
  }

  /// Copies the last, partial chunk in parts whose sizes are powers of two.
  Value copyTail(Value from, Value to, Value sums) {
    Value zeros = b.create<arith::ConstantOp>(
        DenseElementsAttr::get(bytes(plan.chunkBytes), static_cast<int8_t>(0)));
    b.create<vector::StoreOp>(zeros, function.scratch(), to);
    int64_t rest = p.depth % plan.chunkBytes;
    int64_t done = 0;
    for (int64_t part = plan.chunkBytes / 2; part > 0; part /= 2) {
      if ((rest & part) != 0) {
        Value loaded = asFactor(loadBytes(function.operand(p.lhs), add(from, done), part));
        b.create<vector::StoreOp>(loaded, function.scratch(), add(to, done));
        done += part;
      }
    }
    return addAll(sums, loadBytes(function.scratch(), to, plan.chunkBytes));
  }

  Value asFactor(Value value) {
    if (p.isLhsSigned == dot.takesSigned()) {
      return value;
    }
    auto type = cast<VectorType>(value.getType());
    Value flip =
        b.create<arith::ConstantOp>(DenseElementsAttr::get(type, static_cast<int8_t>(-128)));
    return b.create<arith::XOrIOp>(value, flip);
  }

  /// Adds the bytes of each lane to the sum of the lane.
  Value addAll(Value sums, Value value) {
    Value lanes = b.create<vector::BitCastOp>(dot.type(), value);
    return dot.addBytes(sums, lanes, dot.splat(0x01010101));
  }

  Value loadBytes(Value memory, Value offset, int64_t count) {
    return b.create<vector::LoadOp>(bytes(count), memory, offset);
  }

  VectorType bytes(int64_t count) { return VectorType::get({count}, b.getI8Type()); }

  KernelFunction &function;
  const BytesProduct &p;
  const RowsPlan &plan;
  DotProduct &dot;
};

} // namespace

void copyRows(KernelFunction &function, const BytesProduct &product, const RowsPlan &plan,
              DotProduct &dot, Value first, Value last) {
  RowCopier(function, product, plan, dot).copy(first, last);
}

} // namespace convoy::kernels
