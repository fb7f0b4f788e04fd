// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_pixels template and its cost model: max pools of planar tensors with lanes along the
// pixels of several rows, for targets with long vectors. The loop nest is the copy of ConvPixels
// with the lowest value as padding, and a maximum instead of sums.

#include "Kernels/Core/PackBand.h"
#include "Kernels/Kernel.h"
#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/MatchingTemplate.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Cycles to copy one vector, and to compute the maximum of two vectors.
constexpr double kCopyCycles = 3;
constexpr double kMaxCycles = 2;

class PoolPixelsEmitter : private LoopNest {
public:
  PoolPixelsEmitter(KernelFunction &function, const ConvProblem &p, const BandPlan &plan,
                    int64_t vectorBytes)
      : LoopNest(function.b), function(function), p(p), plan(plan),
        elements(function.b, vectorBytes), x(function.operand(0)), y(function.result(0)) {}

  int64_t emit() {
    loop(function.begin(), function.end(), [&](Value task) {
      Lanes l(b, 1);
      SmallVector<Index> at = l.delinearize(l.uniform(task), {p.batch, plan.bands});
      PackedBand packed =
          packBand(function, p, plan, x, at[0].base, at[1].base, /*padding=*/-HUGE_VALF);
      loop(index(0), index(plan.tiles), [&](Value i) {
        Value first = mul(i, plan.lanes);
        b.create<vector::StoreOp>(largest(packed.input, first), packed.sums, first);
      });
      store(packed.sums, at[0].base, at[1].base);
    });
    return p.batch * plan.bands;
  }

private:
  Value largest(Value memory, Value first) {
    Arithmetic a{Lanes(b, plan.lanes), ElementType::F32};
    Value result;
    for (int64_t row = 0; row < p.kernelRows; ++row) {
      for (int64_t column = 0; column < p.kernelColumns; ++column) {
        Value from = add(first, plan.tapOffset(p, row, column));
        Value part = loadLanes(b, memory, from, plan.lanes);
        result = result ? a.max(result, part) : part;
      }
    }
    return result;
  }

  /// Stores the result row by row and skips lanes without a result.
  void store(Value memory, Value plane, Value band) {
    Value firstRow = mul(band, plan.rows);
    Value rows = min(sub(index(p.outputRows), firstRow), plan.rows);
    Value to = mul(add(mul(plane, p.outputRows), firstRow), p.outputColumns);
    loop(index(0), rows, [&](Value row) {
      forVectors(p.outputColumns, plan.lanes, [&](int64_t column, int64_t width) {
        Value part = loadLanes(b, memory, add(mul(row, plan.pitch), column), width);
        storeLanes(b, part, y, add(to, add(mul(row, p.outputColumns), column)));
      });
    });
  }

  KernelFunction &function;
  const ConvProblem &p;
  const BandPlan &plan;
  KernelEmitter elements;
  Value x, y;
};

/// Matches a kernel that contains only an f32 max pool. Returns it as a convolution problem whose
/// images are the planes of the pool, or nullopt.
std::optional<ConvProblem> matchPoolKernel(Block &body) {
  auto pool = dyn_cast<graph::MaxPoolOp>(body.front());
  bool isAlone = pool && std::next(body.begin()) == std::prev(body.end()) &&
                 body.getTerminator()->getNumOperands() == 1 &&
                 body.getTerminator()->getOperand(0) == pool->getResult(0);
  auto input = pool ? cast<RankedTensorType>(pool.getInput().getType()) : RankedTensorType();
  bool hasPlanes = input && input.getRank() == 4 && input.getElementType().isF32();
  if (!isAlone || !hasPlanes || llvm::any_of(pool.getPads(), [](int64_t pad) { return pad < 0; })) {
    return std::nullopt;
  }
  ConvProblem p = poolWindows(pool);
  p.batch = input.getDimSize(0) * input.getDimSize(1);
  return p;
}

/// Returns the configuration with the lowest estimate, or nullopt if the problem is not supported.
std::optional<ConfigChoice> choosePoolPixels(const ConvProblem &p, const Machine &machine,
                                             MLIRContext *context) {
  constexpr int64_t kMostTaps = 64; // taps are unrolled
  if (!machine.hasLongVectors() || p.taps() > kMostTaps || p.outputRows * p.outputColumns < 2 ||
      p.batch == 0) {
    return std::nullopt;
  }
  int64_t filled = BandPlan(p, p.outputRows, 1, 1).pitch * p.outputRows;
  auto power = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(filled)));
  BandPlan plan(p, p.outputRows, std::clamp<int64_t>(power, 2, machine.lanes()), 1);
  auto vectorsOf = [&](int64_t columns) {
    int64_t width = widthFor(columns, plan.lanes);
    return static_cast<double>((columns + width - 1) / width);
  };
  double copied =
      static_cast<double>(plan.paddedRows * (1 + p.strideColumns)) * vectorsOf(plan.paddedColumns) +
      static_cast<double>(p.outputRows) * vectorsOf(p.outputColumns);
  double cycles = kCopyCycles * copied + kMaxCycles * static_cast<double>(plan.tiles * p.taps());
  return ConfigChoice{PoolPixelsAttr::get(context, plan.lanes, plan.rows),
                      {},
                      cycles * static_cast<double>(p.batch)};
}

class PoolPixelsTemplate : public MatchingTemplate<PoolPixelsAttr, ConvProblem> {
public:
  int version() const override { return 2; }

protected:
  std::optional<ConvProblem> match(Block &body, std::string &reason) const override {
    std::optional<ConvProblem> pool = matchPoolKernel(body);
    reason = pool ? "" : "the kernel is not a single max pool of f32 images";
    return pool;
  }

  std::string whyNotMatched(const KernelFacts & /*facts*/, const ConvProblem & /*pool*/,
                            const Machine &machine) const override {
    return machine.hasLongVectors() ? "" : kShortVectors;
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const ConvProblem &pool,
                                          const Machine &machine) const override {
    return choicesOf(choosePoolPixels(pool, machine, facts.context()), Attribute());
  }

  LogicalResult lowerMatched(task::KernelOp kernel, const ConvProblem &pool, PoolPixelsAttr config,
                             const Machine &machine) const override {
    BandPlan plan(pool, config.getRows(), config.getLanes(), 1);
    KernelFunction function(kernel, plan.scratchElements() * 4);
    function.finish(PoolPixelsEmitter(function, pool, plan, machine.vectorBytes).emit());
    return success();
  }
};

} // namespace

const KernelTemplate &poolPixelsTemplate() { return onlyObject<PoolPixelsTemplate>(); }

} // namespace convoy::kernels
