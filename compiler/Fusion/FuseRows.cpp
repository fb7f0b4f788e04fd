// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-fusion-fuse-rows. Starts at a reduction over the last dimensions and adds
// element-wise ops and reductions over the same dimensions, as long as the group stays free of
// cycles. The template `rows` decides whether the group becomes a kernel.
// convoy-fusion-fuse-kernels groups all other ops.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using convoy::graph::OpClass;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEROWSPASS
#include "Fusion/Passes.h.inc"

namespace {

using Ops = llvm::SetVector<Operation *>;

/// Results of one kernel, also while it grows. Each result is a stream of stores.
constexpr int64_t kMostResults = 8;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isElementwise(Operation *op) {
  return graph::collapsesDimensions(op) && op->getNumResults() == 1;
}

/// The reduced tensor of a group: its shape, and which dimensions are reduced.
struct RowDomain {
  SmallVector<int64_t> full;
  SmallVector<int64_t> perRow; // the shape with one element per row
};

/// Returns the shape of the result of a reduction that keeps its dimensions, or nullopt if the
/// reduction is not over the last dimensions.
std::optional<SmallVector<int64_t>> perRowShape(graph::ReduceOp reduce) {
  std::optional<Tensor> axes =
      reduce.getAxes() ? graph::constantValue(reduce.getAxes()) : std::nullopt;
  if (reduce.getAxes() && !axes) {
    return std::nullopt;
  }
  SmallVector<int64_t> shape(shapeOf(reduce.getInput()));
  auto rank = static_cast<int64_t>(shape.size());
  Shape list = axes ? axes->ints() : Shape();
  if (list.empty() && !reduce.getNoopWithEmptyAxes()) {
    llvm::append_range(list, llvm::seq<int64_t>(0, rank));
  }
  int64_t first = rank;
  for (int64_t axis : list) {
    axis += axis < 0 ? rank : 0;
    first = shape[axis] == 1 ? first : std::min(first, axis);
    shape[axis] = 1;
  }
  bool isLast = llvm::all_of(ArrayRef(shape).drop_front(first), [](int64_t d) { return d == 1; });
  return isLast && first < rank ? std::optional(shape) : std::nullopt;
}

class RowGroup {
public:
  RowGroup(graph::ReduceOp seed, SmallVector<int64_t> perRow, int64_t maxOps)
      : domain{SmallVector<int64_t>(shapeOf(seed.getInput())), std::move(perRow)}, maxOps(maxOps) {
    ops.insert(seed);
  }

  /// Adds neighbors until none fits. Returns the ops in block order.
  SmallVector<Operation *> grow() {
    // An op that closes a cycle may fit after the other ops of the cycle.
    for (size_t before = 0; before != ops.size();) {
      before = ops.size();
      for (size_t i = 0; i < ops.size(); ++i) {
        addNeighbors(ops[i]);
      }
    }
    SmallVector<Operation *> sorted = ops.takeVector();
    llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return sorted;
  }

private:
  void addNeighbors(Operation *op) {
    for (Value operand : op->getOperands()) {
      if (Operation *producer = operand.getDefiningOp()) {
        add(producer);
      }
    }
    // A copy, because an added op may be a reader itself.
    SmallVector<Operation *> users(op->getUsers());
    for (Operation *user : users) {
      add(user);
    }
  }

  void add(Operation *op) {
    if (ops.contains(op) || op->getBlock() != ops[0]->getBlock() || !isMember(op) ||
        static_cast<int64_t>(ops.size()) >= maxOps) {
      return;
    }
    bool readsGroup = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && ops.contains(operand.getDefiningOp());
    });
    if (!isa<graph::ReduceOp>(op) && isClaimed(op, /*isStrict=*/readsGroup)) {
      return;
    }
    ops.insert(op);
    if (countResults() > kMostResults || !readersBetween(ops.getArrayRef())) {
      ops.remove(op);
    }
  }

  bool isMember(Operation *op) const {
    if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      return reduce.getKeepDims() && shapeOf(reduce.getInput()) == ArrayRef(domain.full) &&
             perRowShape(reduce) == domain.perRow;
    }
    if (!isElementwise(op)) {
      return false;
    }
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    return shape == ArrayRef(domain.full) || shape == ArrayRef(domain.perRow);
  }

  bool isClaimed(Operation *op, bool isStrict) const;

  int64_t countResults() const {
    return llvm::count_if(ops, [&](Operation *op) {
      return llvm::any_of(op->getUsers(), [&](Operation *user) { return !ops.contains(user); });
    });
  }

public:
  /// Returns the ops between the first and the last op of the group that depend on the group and
  /// are not in it, or nullopt if the group depends on one of them.
  static std::optional<SmallVector<Operation *>> readersBetween(ArrayRef<Operation *> group);

private:
  RowDomain domain;
  int64_t maxOps;
  Ops ops;
};

/// Returns whether FuseKernels can fuse the op with an op that is not element-wise and does not fit
/// the group. If `isStrict`, counts only chains of values with one reader.
bool RowGroup::isClaimed(Operation *op, bool isStrict) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || ops.contains(producer) || producer->getBlock() != op->getBlock() ||
        shapeOf(operand) != shapeOf(op->getResult(0)) || graph::needsNoKernel(producer)) {
      return false;
    }
    bool isSingle = operand.hasOneUse();
    switch (graph::classify(producer)) {
    case OpClass::Movement:
    case OpClass::Reduction:
      return isSingle && !isMember(producer);
    case OpClass::Heavy:
      return isSingle || !isStrict;
    case OpClass::Elementwise:
      return (isSingle || !isStrict) && isClaimed(producer, isStrict);
    default:
      return false;
    }
  });
}

std::optional<SmallVector<Operation *>> RowGroup::readersBetween(ArrayRef<Operation *> group) {
  llvm::SmallPtrSet<Operation *, 16> inside(group.begin(), group.end());
  auto isBefore = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
  Operation *first = *llvm::min_element(group, isBefore);
  Operation *last = *llvm::max_element(group, isBefore);
  llvm::SmallPtrSet<Operation *, 16> dependent;
  SmallVector<Operation *> readers;
  for (Operation *op = first; op != last->getNextNode(); op = op->getNextNode()) {
    bool readsGroup = false, readsDependent = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        readsGroup |= operand.getDefiningOp() && inside.contains(operand.getDefiningOp());
        readsDependent |= operand.getDefiningOp() && dependent.contains(operand.getDefiningOp());
      }
    });
    if (inside.contains(op) && readsDependent) {
      return std::nullopt;
    }
    if (!inside.contains(op) && (readsGroup || readsDependent)) {
      dependent.insert(op);
      readers.push_back(op);
    }
  }
  return readers;
}

/// Returns whether FuseKernels would need several kernels for the group: it has several reductions,
/// or an op that reads whole rows depends on a reduction.
bool isWorthIt(ArrayRef<Operation *> ops) {
  int64_t reductions = llvm::count_if(ops, [](Operation *op) { return isa<graph::ReduceOp>(op); });
  llvm::SmallPtrSet<Operation *, 16> dependent;
  bool readsRows = false;
  for (Operation *op : ops) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && dependent.contains(operand.getDefiningOp());
    });
    if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      readsRows |= depends;
      dependent.insert(op);
    } else if (depends) {
      readsRows |= llvm::any_of(op->getOperands(), [&](Value operand) {
        return shapeOf(operand) == shapeOf(op->getResult(0)) &&
               !(operand.getDefiningOp() && dependent.contains(operand.getDefiningOp()));
      });
      dependent.insert(op);
    }
  }
  return reductions > 1 || readsRows;
}

/// If a reduction drops its dimensions and a reshape restores them for an element-wise op, lets the
/// reduction keep them.
///     %1 = graph.reduce mean %x {keepDims = false}; %2 = graph.reshape %1       // before
///     %2 = graph.reduce mean %x {keepDims = true}                               // after
void keepDimensions(graph::ReduceOp reduce) {
  std::optional<SmallVector<int64_t>> shape = perRowShape(reduce);
  if (reduce.getKeepDims() || !shape || !reduce->hasOneUse()) {
    return;
  }
  auto reshape = dyn_cast<graph::ReshapeOp>(*reduce->user_begin());
  if (!reshape || shapeOf(reshape.getResult()) != ArrayRef(*shape)) {
    return;
  }
  if (llvm::any_of(reshape->getUsers(), isElementwise)) {
    reduce.setKeepDims(true);
    reduce.getResult().setType(cast<RankedTensorType>(reshape.getType()));
    reshape.replaceAllUsesWith(reduce.getResult());
    reshape.erase();
  }
}

struct FuseRows : impl::FuseRowsPassBase<FuseRows> {
  using FuseRowsPassBase::FuseRowsPassBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<graph::KernelOp>(block->getParentOp())) {
        blocks.push_back(block);
      }
    });
    for (Block *block : blocks) {
      fuseBlock(*block);
    }
  }

  void fuseBlock(Block &block) {
    for (auto reduce : llvm::to_vector(block.getOps<graph::ReduceOp>())) {
      keepDimensions(reduce);
    }
    llvm::SetVector<Operation *> seeds;
    for (auto reduce : block.getOps<graph::ReduceOp>()) {
      seeds.insert(reduce);
    }
    while (!seeds.empty()) {
      auto seed = cast<graph::ReduceOp>(seeds.front());
      seeds.remove(seed);
      for (Operation *op : fuseFrom(seed)) {
        seeds.remove(op);
      }
    }
  }

  /// Returns the ops of the group, which the function may have erased.
  SmallVector<Operation *> fuseFrom(graph::ReduceOp seed) {
    std::optional<SmallVector<int64_t>> perRow = perRowShape(seed);
    if (!perRow || !seed.getKeepDims()) {
      return {};
    }
    SmallVector<Operation *> ops = RowGroup(seed, *perRow, maxOps).grow();
    if (!isWorthIt(ops)) {
      return {};
    }
    // A kernel in the place of the last op must dominate all readers.
    Operation *after = ops.back();
    std::optional<SmallVector<Operation *>> readers = RowGroup::readersBetween(ops);
    for (Operation *reader : *readers) {
      reader->moveAfter(after);
      after = reader;
    }
    if (fuseFor("rows", ops, isStrictMath).empty()) {
      fusedOps += ops.size();
      ++rowKernels;
    }
    return ops;
  }
};

} // namespace
} // namespace convoy::fusion
