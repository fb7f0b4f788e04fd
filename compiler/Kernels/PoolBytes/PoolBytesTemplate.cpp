// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_bytes template: matches kernels and emits the loops over rows that PoolBytes.td
// documents.

#include "Graph/Constant.h"
#include "Kernels/ByteTemplate.h"
#include "Kernels/Core/Edges.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per byte of a window and per result, measured on a Cortex-M55 with gcc.
constexpr double kTapInstructions = 1;
constexpr double kResultInstructions = 6;

/// A max pool, or a sum pool with its requantize op.
struct BytesPool {
  unsigned input = 0; // block argument number
  /// The windows, as a convolution with one group per channel.
  ConvProblem windows;
  int64_t inputZeroPoint = 0;
  graph::RequantizeOp requantize; // null for a max pool
  int64_t multiplier = 0, shift = 0;
};

bool isByteImage(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 4 && type.getDimSize(0) == 1 &&
         fromMlir(type.getElementType()) == ElementType::I8;
}

/// Returns the windows of a pool of bytes.
template <typename PoolT>
ConvProblem windowsOf(PoolT pool) {
  ConvProblem p = poolWindows(pool);
  p.groups = cast<RankedTensorType>(pool.getInput().getType()).getDimSize(1);
  return p;
}

/// Returns the value of a scalar constant inside the kernel.
std::optional<int64_t> scalarOf(Value value) {
  std::optional<Tensor> tensor = graph::constantValue(value);
  return tensor && tensor->size() == 1 ? std::optional<int64_t>(tensor->asInt(0)) : std::nullopt;
}

std::optional<BytesPool> matchMax(graph::MaxPoolOp pool, Block &body, std::string &reason) {
  Operation *yield = body.getTerminator();
  bool isAlone = &body.front() == pool && pool->getNextNode() == yield &&
                 yield->getNumOperands() == 1 && yield->getOperand(0) == pool->getResult(0);
  if (!isAlone || !isByteImage(pool.getInput())) {
    reason = "the kernel is not a single max pool of one i8 image";
    return std::nullopt;
  }
  BytesPool matched;
  matched.input = cast<BlockArgument>(pool.getInput()).getArgNumber();
  matched.windows = windowsOf(pool);
  return matched;
}

std::optional<BytesPool> matchSum(graph::IntegerSumPoolOp pool, Block &body, std::string &reason) {
  auto requantize = body.getTerminator()->getOperand(0).getDefiningOp<graph::RequantizeOp>();
  bool isPair = requantize && requantize.getInput() == pool.getResult() &&
                llvm::all_of(body.without_terminator(), [&](Operation &op) {
                  return &op == pool || &op == requantize || isa<graph::ConstantOp>(op);
                });
  if (!isPair || !isByteImage(pool.getInput()) || !isByteImage(requantize.getResult())) {
    reason = "the kernel is not a sum pool of one i8 image with one requantize";
    return std::nullopt;
  }
  std::optional<int64_t> multiplier = scalarOf(requantize.getMultiplier());
  std::optional<int64_t> shift = scalarOf(requantize.getShift());
  BytesPool matched;
  matched.input = cast<BlockArgument>(pool.getInput()).getArgNumber();
  matched.windows = windowsOf(pool);
  if (!multiplier || !shift || *shift < kLeastByteShift ||
      matched.windows.taps() * 255 >=
          kMostByteSum) { // 255: the most of a byte minus its zero point
    reason = "the requantize has several multipliers, a shift below " +
             std::to_string(kLeastByteShift) + ", or sums of more than 31 bits";
    return std::nullopt;
  }
  matched.inputZeroPoint = static_cast<int64_t>(pool.getInputZeroPoint());
  matched.requantize = requantize;
  matched.multiplier = *multiplier;
  matched.shift = *shift;
  return matched;
}

class PoolBytesEmitter : LoopNest {
public:
  PoolBytesEmitter(KernelFunction &function, const BytesPool &pool)
      : LoopNest(function.b), function(function), pool(pool), p(pool.windows), zero(index(0)) {}

  /// Emits the loop over the rows of the result and returns their number.
  int64_t emit() {
    loop(function.begin(), function.end(), [&](Value row) { emitRow(row); });
    return p.outputRows;
  }

private:
  void emitRow(Value row) {
    constexpr int64_t kLowest = -128;
    Value result = b.create<task::RowViewOp>(function.result(0), row, p.outputRows);
    int64_t count = p.outputColumns * p.groups;
    if (pool.requantize) {
      int64_t bytes = count * static_cast<int64_t>(sizeof(int32_t));
      b.create<ByteFillOp>(function.scratch(), zero, index(bytes), 0);
    } else {
      b.create<ByteFillOp>(result, zero, index(count), kLowest);
    }
    loop(zero, index(p.kernelRows), [&](Value tapRow) { emitTaps(row, tapRow, result); });
    if (graph::RequantizeOp requantize = pool.requantize) {
      b.create<ByteScaleOp>(
          result, zero, function.scratch(), zero, index(count), pool.multiplier,
          kByteShiftMinuend - pool.shift, static_cast<int64_t>(requantize.getZeroPoint()),
          static_cast<int64_t>(requantize.getLow()), static_cast<int64_t>(requantize.getHigh()),
          static_cast<int64_t>(requantize.getRounding()));
    }
  }

  /// Combines one row of taps with the result, if the row is inside the input.
  void emitTaps(Value row, Value tapRow, Value result) {
    Value from = add(add(mul(row, p.strideRows), mul(tapRow, p.dilationRows)), -p.padTop);
    branchOnRow(*this, p, from, [&] { combine(from, result); });
  }

  void combine(Value from, Value result) {
    Value input = b.create<task::RowViewOp>(function.operand(pool.input), from, p.inputRows);
    if (pool.requantize) {
      b.create<ByteSumOp>(function.scratch(), zero, input, zero, p.groups, p.inputColumns,
                          p.outputColumns, p.kernelColumns, p.strideColumns, p.dilationColumns,
                          p.padLeft, pool.inputZeroPoint);
    } else {
      b.create<ByteMaxOp>(result, zero, input, zero, p.groups, p.inputColumns, p.outputColumns,
                          p.kernelColumns, p.strideColumns, p.dilationColumns, p.padLeft);
    }
  }

  KernelFunction &function;
  BytesPool pool;
  const ConvProblem &p;
  Value zero;
};

class PoolBytesTemplate : public ByteTemplate<PoolBytesAttr, BytesPool> {
public:
  int version() const override { return 1; }

protected:
  std::optional<BytesPool> match(Block &body, std::string &reason) const override {
    for (Operation &op : body.without_terminator()) {
      if (auto pool = dyn_cast<graph::MaxPoolOp>(op)) {
        return matchMax(pool, body, reason);
      }
      if (auto pool = dyn_cast<graph::IntegerSumPoolOp>(op)) {
        return matchSum(pool, body, reason);
      }
    }
    reason = "the kernel has no max pool and no sum pool";
    return std::nullopt;
  }

  Attribute inputLayout(const KernelFacts &facts, const BytesPool &pool) const override {
    return pixelLayout(facts.context(), pool.windows.groups);
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const BytesPool &pool,
                                          const Machine & /*machine*/) const override {
    const ConvProblem &p = pool.windows;
    auto results = static_cast<double>(p.outputRows * p.outputColumns * p.groups);
    double each = kTapInstructions * static_cast<double>(p.taps()) + kResultInstructions;
    return {{PoolBytesAttr::get(facts.context(), /*rows=*/1), inputLayout(facts, pool),
             each * results}};
  }

  LogicalResult lowerMatched(task::KernelOp kernel, const BytesPool &pool, PoolBytesAttr /*config*/,
                             const Machine & /*machine*/) const override {
    int64_t sums = pool.windows.outputColumns * pool.windows.groups;
    KernelFunction function(kernel,
                            pool.requantize ? sums * static_cast<int64_t>(sizeof(int32_t)) : 0);
    function.finishRows(PoolBytesEmitter(function, pool).emit());
    return success();
  }
};

} // namespace

const KernelTemplate &poolBytesTemplate() { return onlyObject<PoolBytesTemplate>(); }

} // namespace convoy::kernels
