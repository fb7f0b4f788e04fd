// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of a kernel from its loops. The estimate decides whether splitting a kernel is
// worth its synchronization, so an error of a factor of two is acceptable. A kernel transfers each
// operand once, and of a table at most the rows that its lookups read.

#include "Bands/KernelTime.h"
#include "Graph/Layout.h"
#include "Kernels/Machine.h"
#include "Task/Custom.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <cmath>

using namespace mlir;

namespace convoy::bands {
namespace {

// Nanoseconds per op: a core issues about four instructions per cycle at about 3 GHz, and LLVM
// removes about half of the ops in addition to repeated ops.
constexpr double kOpNs = 0.15;
// Nanoseconds of a cycle of a function of the user.
constexpr double kCycleNs = 0.33;
// Nanoseconds of a division or square root, which are not fully pipelined.
constexpr double kSlowOpNs = 2;
// Nanoseconds of a product of tile registers.
constexpr double kTileProductNs = 8;
// Bandwidth of one core if no data is in its caches, and if all data is in its second-level cache.
constexpr double kBytesPerNs = 10;
constexpr double kCachedBytesPerNs = 40;
// Assumed trip count of a loop whose bounds depend on data or on padding.
constexpr double kUnknownTrips = 8;
// Bytes that an access transfers at least.
constexpr double kCacheLineBytes = 64;

double bytesOf(ShapedType type) {
  return static_cast<double>(type.getNumElements() * type.getElementTypeBitWidth()) / 8;
}

std::optional<double> shorter(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

/// Returns a constant that the value does not exceed.
std::optional<double> mostOf(Value value) {
  auto least = value.getDefiningOp<arith::MinSIOp>();
  return least ? shorter(mostOf(least.getLhs()), mostOf(least.getRhs()))
               : std::optional<double>(getConstantIntValue(value));
}

std::optional<double> lengthOf(Value lower, Value upper);

/// Returns the mean number of rows of `size` elements that the elements from `begin` to `end` lie
/// in, if `lower` and `upper` are begin / size and end / size rounded up.
std::optional<double> rowsOf(Value lower, Value upper) {
  auto first = lower.getDefiningOp<arith::DivUIOp>();
  auto last = upper.getDefiningOp<arith::CeilDivUIOp>();
  std::optional<double> size = last ? getConstantIntValue(last.getRhs()) : std::nullopt;
  if (!first || !size || *size < 1 ||
      getConstantIntValue(first.getRhs()) != getConstantIntValue(last.getRhs())) {
    return std::nullopt;
  }
  std::optional<double> length = lengthOf(first.getLhs(), last.getLhs());
  return length ? std::optional(1 + *length / *size) : std::nullopt;
}

/// Returns an upper bound of `upper` - `lower`. Tiles run from i * n to min(i * n + n, all),
/// windows from max(first, 0) to min(last, size), the part of a tile in a row from
/// max(begin - row, 0) to min(end - row, size).
std::optional<double> lengthOf(Value lower, Value upper) {
  if (auto least = upper.getDefiningOp<arith::MinSIOp>()) {
    return shorter(lengthOf(lower, least.getLhs()), lengthOf(lower, least.getRhs()));
  }
  if (auto most = lower.getDefiningOp<arith::MaxSIOp>()) {
    return shorter(lengthOf(most.getLhs(), upper), lengthOf(most.getRhs(), upper));
  }
  if (auto sum = upper.getDefiningOp<arith::AddIOp>(); sum && sum.getLhs() == lower) {
    return mostOf(sum.getRhs());
  }
  auto begin = lower.getDefiningOp<arith::SubIOp>(), end = upper.getDefiningOp<arith::SubIOp>();
  if (begin && end && begin.getRhs() == end.getRhs()) {
    return lengthOf(begin.getLhs(), end.getLhs());
  }
  if (std::optional<double> rows = rowsOf(lower, upper)) {
    return rows;
  }
  std::optional<double> first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  return last ? std::optional(*last - first.value_or(0)) : std::nullopt;
}

/// The bounds of a loop over a part of a task: from max(begin, first) to min(begin + step, last,
/// all), where tasks begin at multiples of `step` below `all`.
struct TaskPart {
  Value begin;
  int64_t first = 0;
  std::optional<int64_t> step, last, all;

  void addUpper(Value upper) {
    if (auto least = upper.getDefiningOp<arith::MinSIOp>()) {
      addUpper(least.getLhs());
      addUpper(least.getRhs());
    } else if (auto number = getConstantIntValue(upper)) {
      last = std::min(last.value_or(*number), *number);
      all = std::max(all.value_or(*number), *number);
    } else if (auto sum = upper.getDefiningOp<arith::AddIOp>(); sum && sum.getLhs() == begin) {
      step = getConstantIntValue(sum.getRhs());
    }
  }

  bool beginsAtMultiples() const {
    auto product = begin.getDefiningOp<arith::MulIOp>();
    return step && *step > 0 &&
           (*step == 1 || (product && getConstantIntValue(product.getRhs()) == *step));
  }
};

/// Returns the mean length of such a loop over all tasks: the vectors of the last panel of a
/// convolution are in one of many tasks only.
std::optional<double> meanLengthOf(Value lower, Value upper) {
  TaskPart part;
  part.begin = lower;
  if (auto most = lower.getDefiningOp<arith::MaxSIOp>()) {
    std::optional<int64_t> first = getConstantIntValue(most.getRhs());
    part.begin = most.getLhs();
    part.first = first.value_or(-1);
  }
  part.addUpper(upper);
  if (part.first < 0 || !part.last || *part.all < 1 || !part.beginsAtMultiples()) {
    return std::nullopt;
  }
  auto tasks = static_cast<double>(llvm::divideCeil(*part.all, *part.step));
  return static_cast<double>(std::max<int64_t>(*part.last - part.first, 0)) / tasks;
}

class CostEstimator {
public:
  explicit CostEstimator(task::KernelOp kernel)
      : kernel(kernel), range(static_cast<double>(kernel.getRange().value_or(1))) {}

  /// Returns an upper bound on the bytes that the kernel transfers from or to an argument. Call it
  /// after blockNs().
  double trafficOf(Value argument) const {
    double own = bytesOf(cast<MemRefType>(argument.getType()));
    auto known = accessedBytes.find(argument);
    return known == accessedBytes.end() ? own : std::min(own, known->second);
  }

  double blockNs(Block &block) {
    double total = 0;
    scopes.emplace_back();
    for (Operation &op : block) {
      total += isRepeated(&op) ? 0 : opNs(&op);
    }
    scopes.pop_back();
    return total;
  }

private:
  /// Returns whether an equal op precedes this one in its block or in a block around it, so that
  /// LLVM removes it. Integer dot products split the same weights again for each pixel.
  bool isRepeated(Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() > 0 || !isPure(op)) {
      return false;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto first = leaders.find(operand);
      operands.push_back(first == leaders.end() ? operand : first->second);
    }
    size_t key =
        llvm::hash_combine(op->getName(), op->getAttrDictionary(), op->getResult(0).getType(),
                           llvm::hash_combine_range(operands.begin(), operands.end()));
    for (const Scope &scope : llvm::reverse(scopes)) {
      auto earlier = scope.find(key);
      if (earlier != scope.end()) {
        leaders[op->getResult(0)] = earlier->second;
        return true;
      }
    }
    scopes.back()[key] = op->getResult(0);
    return false;
  }

  /// Returns the time of a loop whose body takes `bodyNs()`.
  template <typename BodyNs>
  double loopNs(std::optional<double> trips, BodyNs bodyNs) {
    double around = repeats;
    repeats *= trips.value_or(HUGE_VAL); // an unknown number of accesses is no bound
    double ns = trips.value_or(kUnknownTrips) * bodyNs();
    repeats = around;
    return ns;
  }

  /// Adds the bytes that an op transfers to the arguments that it accesses.
  void addTraffic(Operation *op) {
    if (isa<ViewLikeOpInterface>(op)) {
      return;
    }
    for (Value operand : op->getOperands()) {
      if (isa<MemRefType>(operand.getType()) && repeats > 0) {
        accessedBytes[viewedBy(operand)] += lookupBytes(op) * repeats;
      }
    }
  }

  static Value viewedBy(Value memory) {
    while (auto view = memory.getDefiningOp<ViewLikeOpInterface>()) {
      memory = view.getViewSource();
    }
    return memory;
  }

  /// Returns the bytes that one execution of a lookup transfers at most, which is a load from a
  /// position that was itself loaded. All executions of another access may transfer the operand.
  double lookupBytes(Operation *op) {
    auto vector =
        op->getNumResults() == 1 ? dyn_cast<VectorType>(op->getResult(0).getType()) : VectorType();
    bool isLoad = isa<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp>(op);
    if (!isLoad || !llvm::any_of(op->getOperands(), [&](Value at) { return isLoaded(at); })) {
      return HUGE_VAL;
    }
    if (isa<vector::GatherOp>(op)) {
      return kCacheLineBytes * static_cast<double>(vector.getNumElements());
    }
    return vector ? std::max(kCacheLineBytes, bytesOf(vector)) : kCacheLineBytes;
  }

  /// Returns whether a position depends on a loaded value.
  bool isLoaded(Value position) {
    Type element = getElementTypeOrSelf(position.getType());
    Operation *op = element.isIntOrIndex() ? position.getDefiningOp() : nullptr;
    if (!op || op->getNumRegions() > 0) {
      return false;
    }
    if (!isPure(op)) {
      return isa<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp>(op);
    }
    auto [known, isNew] = loadedPositions.try_emplace(position, false);
    if (isNew) {
      bool result = llvm::any_of(op->getOperands(), [&](Value at) { return isLoaded(at); });
      loadedPositions[position] = result;
      return result;
    }
    return known->second;
  }

  double opNs(Operation *op) {
    addTraffic(op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return loopNs(trips(loop), [&] { return blockNs(*loop.getBody()); });
    }
    if (isa<scf::WhileOp>(op)) {
      return loopNs(std::nullopt, [&] { return regionsNs(op); });
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
    if (auto call = dyn_cast<task::CallCustomOp>(op)) {
      return kCycleNs * static_cast<double>(call.getCycles());
    }
    if (auto words = dyn_cast<kernels::DotWordsOp>(op)) {
      bool isPair = words.getForm() == kernels::DotForm::Pairs; // a product and an addition
      return isPair ? 2 * kOpNs : kOpNs;
    }
    // A bitcast renames a register, LLVM loads a constant vector outside of loops, and a load
    // spreads its number over all lanes.
    auto spread = dyn_cast<vector::BroadcastOp>(op);
    if (isa<vector::BitCastOp>(op) || (spread && isFree(spread.getSource()))) {
      return 0;
    }
    bool isAddress = llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIndex(); });
    if (op->hasTrait<OpTrait::IsTerminator>() || matchPattern(op, m_Constant()) ||
        (isAddress && op->getNumResults() > 0)) {
      return 0;
    }
    return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, math::SqrtOp>(op) ? kSlowOpNs : kOpNs;
  }

  static bool isFree(Value spread) {
    return matchPattern(spread, m_Constant()) || spread.getDefiningOp<memref::LoadOp>();
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

  std::optional<double> trips(scf::ForOp loop) {
    if (loop.getUpperBound() == kernel.getEnd()) {
      return range;
    }
    std::optional<double> length = meanLengthOf(loop.getLowerBound(), loop.getUpperBound());
    length = length ? length : lengthOf(loop.getLowerBound(), loop.getUpperBound());
    std::optional<double> step = getConstantIntValue(loop.getStep());
    return length ? std::optional(std::max(0.0, *length / std::max(step.value_or(1), 1.0)))
                  : std::nullopt;
  }

  /// Results of pure ops by a hash of the op and its operands.
  using Scope = llvm::DenseMap<size_t, Value>;

  task::KernelOp kernel;
  double range;
  double repeats = 1;                          // executions of the current block; infinite: unknown
  llvm::DenseMap<Value, double> accessedBytes; // by argument
  llvm::DenseMap<Value, bool> loadedPositions; // whether they depend on a loaded value
  std::vector<Scope> scopes;
  llvm::DenseMap<Value, Value> leaders; // the first of equal results
};

} // namespace

double estimateComputeNs(task::KernelOp kernel) {
  return CostEstimator(kernel).blockNs(kernel.getBody().front());
}

/// Returns whether an argument holds packed weights. Many kernels run between two reads of them, so
/// they are in no cache.
static bool isWeights(task::KernelOp kernel, unsigned argument) {
  std::optional<FunctionType> tensors = kernel.getTensors();
  if (!tensors || argument >= tensors->getNumInputs()) {
    return false;
  }
  Attribute layout = graph::layoutOf(tensors->getInput(argument));
  return layout && !isa<graph::BlockedAttr>(layout);
}

double estimateNs(task::KernelOp kernel, double runs) {
  CostEstimator estimator(kernel);
  double computeNs = estimator.blockNs(kernel.getBody().front());
  double all = 0, bytes = 0, weights = 0;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    if (auto memory = dyn_cast<MemRefType>(argument.getType())) {
      double traffic = estimator.trafficOf(argument);
      if (isWeights(kernel, argument.getArgNumber())) {
        weights += traffic;
        continue;
      }
      bytes += traffic;
      all += bytesOf(memory);
    }
  }
  // The kernel before left small operands in the cache.
  auto cache = static_cast<double>(kernels::machineOf(kernel).secondCacheBytes);
  double bytesPerNs = all <= cache / 2 ? kCachedBytesPerNs : kBytesPerNs;
  auto runNs = [&](double weightsPerNs) {
    return std::max(computeNs, weights / weightsPerNs + bytes / bytesPerNs);
  };
  return runNs(kBytesPerNs) +
         (runs - 1) * runNs(weights <= cache / 2 ? kCachedBytesPerNs : kBytesPerNs);
}

} // namespace convoy::bands
