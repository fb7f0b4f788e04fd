// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a kernel from its loops. The estimate decides whether splitting a kernel is
// worth its synchronisation, so an error of a factor of two is acceptable.

#include "Bands/KernelTime.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::bands {
namespace {

// Nanoseconds per op: a core issues about four instructions per cycle at about 3 GHz, and LLVM
// removes about half of the ops.
constexpr double kOpNs = 0.15;
// Nanoseconds of a division or square root, which are not fully pipelined.
constexpr double kSlowOpNs = 2;
// Nanoseconds of a product of tile registers.
constexpr double kTileProductNs = 8;
// Bandwidth of one core if no data is in its caches.
constexpr double kBytesPerNs = 10;
// Assumed trip count of a loop whose bounds depend on data or on padding.
constexpr double kUnknownTrips = 8;

std::optional<double> shorter(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// Returns an upper bound of `upper` - `lower`. Tiles run from i * n to min(i * n + n, all),
/// windows from max(first, 0) to min(last, size).
std::optional<double> lengthOf(Value lower, Value upper) {
  if (auto least = upper.getDefiningOp<arith::MinSIOp>()) {
    return shorter(lengthOf(lower, least.getLhs()), lengthOf(lower, least.getRhs()));
  }
  if (auto most = lower.getDefiningOp<arith::MaxSIOp>()) {
    return shorter(lengthOf(most.getLhs(), upper), lengthOf(most.getRhs(), upper));
  }
  if (auto sum = upper.getDefiningOp<arith::AddIOp>(); sum && sum.getLhs() == lower) {
    return getConstantIntValue(sum.getRhs());
  }
  std::optional<double> begin = getConstantIntValue(lower), end = getConstantIntValue(upper);
  return end ? std::optional(*end - begin.value_or(0)) : std::nullopt;
}

class CostEstimator {
public:
  explicit CostEstimator(func::FuncOp kernel) : kernel(kernel) {
    range = static_cast<double>(task::rangeOf(kernel).value_or(1));
  }

  double blockNs(Block &block) {
    double total = 0;
    for (Operation &op : block) {
      total += opNs(&op);
    }
    return total;
  }

private:
  double opNs(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return trips(loop) * blockNs(*loop.getBody());
    }
    if (isa<scf::WhileOp>(op)) {
      return kUnknownTrips * regionsNs(op);
    }
    if (isa<scf::IndexSwitchOp>(op)) {
      return regionsNs(op) / op->getNumRegions(); // one region runs
    }
    if (op->getNumRegions() > 0) {
      return regionsNs(op);
    }
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
        call && call.getIntrin().starts_with("llvm.x86.tdp")) {
      return kTileProductNs;
    }
    bool isAddress = llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIndex(); });
    if (op->hasTrait<OpTrait::IsTerminator>() || matchPattern(op, m_Constant()) ||
        (isAddress && op->getNumResults() > 0)) {
      return 0;
    }
    return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, math::SqrtOp>(op) ? kSlowOpNs : kOpNs;
  }

  double regionsNs(Operation *op) {
    double total = 0;
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        total += blockNs(block);
      }
    }
    return total;
  }

  double trips(scf::ForOp loop) {
    unsigned count = kernel.getNumArguments();
    if (count >= 2 && loop.getUpperBound() == kernel.getArgument(count - 1)) {
      return range;
    }
    std::optional<double> length = lengthOf(loop.getLowerBound(), loop.getUpperBound());
    std::optional<double> step = getConstantIntValue(loop.getStep());
    return length ? std::max(0.0, *length / std::max(step.value_or(1), 1.0)) : kUnknownTrips;
  }

  func::FuncOp kernel;
  double range;
};

} // namespace

double estimateComputeNs(func::FuncOp kernel) {
  return CostEstimator(kernel).blockNs(kernel.getBody().front());
}

double estimateNs(func::FuncOp kernel) {
  double bytes = 0;
  for (Type type : kernel.getArgumentTypes()) {
    if (auto memory = dyn_cast<MemRefType>(type)) {
      bytes += static_cast<double>(memory.getNumElements() * memory.getElementTypeBitWidth()) / 8;
    }
  }
  return std::max(estimateComputeNs(kernel), bytes / kBytesPerNs);
}

} // namespace convoy::bands
