// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the operations of a kernel by walking its loops with their trip counts. A loop whose
// bounds depend on data or on padding counts as kUnknownTurns iterations.

#include "Kernels/VectorUse.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr double kUnknownTurns = 3;
/// Operations per loop iteration: increment, and compare with branch.
constexpr double kTurnOps = 2;

class Counter {
public:
  explicit Counter(task::KernelOp kernel) : kernel(kernel) {
    range = static_cast<double>(kernel.getRange().value_or(1));
  }

  void count(Block &block, double times) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        double turns = times * turnsOf(loop);
        use.scalarOps += kTurnOps * turns;
        count(*loop.getBody(), turns);
      } else if (op.getNumRegions() > 0) {
        // Only one of the regions runs.
        for (Region &region : op.getRegions()) {
          for (Block &inner : region) {
            count(inner, times / op.getNumRegions());
          }
        }
      } else {
        countOp(&op, times);
      }
    }
  }

  VectorUse use;

private:
  /// Returns the trip count of a loop. If two loops share the range because the last steps have
  /// separate code, the first loop counts for both.
  double turnsOf(scf::ForOp loop) {
    if (loop.getLowerBound() == kernel.getBegin()) {
      return range;
    }
    if (loop.getUpperBound() == kernel.getEnd()) {
      return 0;
    }
    auto sum = loop.getUpperBound().getDefiningOp<arith::AddIOp>();
    if (sum && sum.getLhs() == loop.getLowerBound()) {
      std::optional<double> turns = getConstantIntValue(sum.getRhs());
      return turns.value_or(kUnknownTurns);
    }
    std::optional<double> low = getConstantIntValue(loop.getLowerBound());
    std::optional<double> high = getConstantIntValue(loop.getUpperBound());
    std::optional<double> step = getConstantIntValue(loop.getStep());
    return low && high ? std::max(0.0, (*high - *low) / std::max(step.value_or(1), 1.0))
                       : kUnknownTurns;
  }

  static VectorType vectorOf(Operation *op) {
    for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getResultTypes()),
                                        SmallVector<Type>(op->getOperandTypes()))) {
      if (auto vector = dyn_cast<VectorType>(type)) {
        return vector;
      }
    }
    return {};
  }

  void countOp(Operation *op, double times) {
    bool isAddress = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
    // Broadcasting a scalar factor needs no instruction.
    if (op->hasTrait<OpTrait::IsTerminator>() || matchPattern(op, m_Constant()) || isAddress ||
        isa<vector::BroadcastOp>(op)) {
      return;
    }
    if (VectorType vector = vectorOf(op)) {
      use.vectorOps += times;
      use.elements += times * static_cast<double>(vector.getNumElements());
    } else {
      use.scalarOps += times;
    }
  }

  task::KernelOp kernel;
  double range;
};

} // namespace

VectorUse countVectors(task::KernelOp kernel) {
  Counter counter(kernel);
  if (kernel.getNumArguments() >= 2) {
    counter.count(kernel.getBody().front(), 1);
  }
  return counter.use;
}

} // namespace convoy::kernels
