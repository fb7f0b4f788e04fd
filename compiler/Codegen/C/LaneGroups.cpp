// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the block once and keeps one open group. Scalar ops that do not depend on the group
// are moved before it.

#include "Codegen/C/LaneGroups.h"
#include "Codegen/C/Expressions.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// The memory that an op accesses in its lanes.
struct Access {
  Value memory;
  Value base;         // index without its constant part; may be null
  int64_t offset = 0; // the constant part
  int64_t lanes = 0;  // consecutive elements from there; 0: any element
  bool isWrite = false;
};

/// An operand that may share the memory of the result counts as the result.
Value placeOf(Value memory) {
  auto argument = dyn_cast<BlockArgument>(memory);
  auto kernel =
      argument ? dyn_cast<task::KernelOp>(argument.getOwner()->getParentOp()) : task::KernelOp();
  return kernel && kernel.isInPlace(argument.getArgNumber())
             ? kernel.getArgument(static_cast<unsigned>(kernel.getInPlace()->back()))
             : memory;
}

void splitIndex(Value index, Access &access) {
  access.base = index;
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number))) {
    access.base = {};
    access.offset = number.getSExtValue();
    return;
  }
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&number))) {
    access.base = sum.getLhs();
    access.offset = number.getSExtValue();
  }
}

std::optional<Access> accessOf(Operation *op) {
  Access access;
  auto at = [&](Value memory, ValueRange indices, int64_t lanes, bool isWrite) {
    access.memory = placeOf(memory);
    access.lanes = lanes;
    access.isWrite = isWrite;
    if (indices.size() == 1) {
      splitIndex(indices[0], access);
    }
    return access;
  };
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    return at(load.getBase(), load.getIndices(), load.getVectorType().getNumElements(), false);
  }
  if (auto store = dyn_cast<vector::StoreOp>(op)) {
    return at(store.getBase(), store.getIndices(), store.getVectorType().getNumElements(), true);
  }
  if (auto load = dyn_cast<vector::MaskedLoadOp>(op)) {
    return at(load.getBase(), load.getIndices(), load.getVectorType().getNumElements(), false);
  }
  if (auto store = dyn_cast<vector::MaskedStoreOp>(op)) {
    return at(store.getBase(), store.getIndices(), store.getVectorType().getNumElements(), true);
  }
  if (auto gather = dyn_cast<vector::GatherOp>(op)) {
    return at(gather.getBase(), {}, 0, false);
  }
  if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
    return at(scatter.getBase(), {}, 0, true);
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    return at(load.getMemref(), load.getIndices(), 1, false);
  }
  return std::nullopt;
}

/// Returns the memory that contains the view, and the bytes of the view in it.
Value rootOf(Value memory, int64_t &begin, int64_t &end) {
  // The offset of a row is not constant, so a row may be anywhere in its tensor.
  while (isa_and_nonnull<memref::SubViewOp, memref::CastOp>(memory.getDefiningOp())) {
    memory = placeOf(memory.getDefiningOp()->getOperand(0));
  }
  auto view = memory.getDefiningOp<memref::ViewOp>();
  if (!view) {
    return memory;
  }
  APInt shift;
  if (matchPattern(view.getByteShift(), m_ConstantInt(&shift))) {
    MemRefType type = view.getType();
    int64_t bytes = type.getElementType().isIndex() ? 8 : (type.getElementTypeBitWidth() + 7) / 8;
    begin = shift.getSExtValue();
    end = begin + type.getNumElements() * bytes;
  }
  return view.getSource();
}

/// Returns whether two ops of one loop may access the same memory in different lanes.
bool mayCollide(const Access &a, const Access &b) {
  if (!a.isWrite && !b.isWrite) {
    return false;
  }
  if (a.memory == b.memory) {
    if (a.lanes == 0 || b.lanes == 0 || a.base != b.base) {
      return true;
    }
    bool isApart = a.offset + a.lanes <= b.offset || b.offset + b.lanes <= a.offset;
    return !isApart && (a.offset != b.offset || a.lanes != b.lanes);
  }
  int64_t begin[2] = {0, 0};
  int64_t end[2] = {INT64_MAX, INT64_MAX};
  return rootOf(a.memory, begin[0], end[0]) == rootOf(b.memory, begin[1], end[1]) &&
         begin[0] < end[1] && begin[1] < end[0];
}

int64_t lanesOf(Operation *op) {
  for (Type type : op->getResultTypes()) {
    if (auto vector = dyn_cast<VectorType>(type)) {
      return vector.getNumElements();
    }
  }
  for (Type type : op->getOperandTypes()) {
    if (auto vector = dyn_cast<VectorType>(type)) {
      return vector.getNumElements();
    }
  }
  return 0;
}

class Grouping {
public:
  explicit Grouping(const Inlining &inlining) : inlining(inlining) {}

  void add(Operation *op) {
    if (inlining.isInlined(op)) {
      return;
    }
    if (isLaneOp(op)) {
      if (open.lanes != lanesOf(op) || collides(op)) {
        close();
      }
      open.lanes = lanesOf(op);
      open.ops.push_back(op);
      if (std::optional<Access> access = accessOf(op)) {
        accesses.push_back(*access);
      }
      return;
    }
    if (!canGoBefore(op)) {
      close();
    }
    groups.push_back({{op}, 0});
  }

  void close() {
    if (!open.ops.empty()) {
      groups.push_back(std::move(open));
    }
    open = LaneGroup();
    accesses.clear();
  }

  std::vector<LaneGroup> groups;

private:
  bool collides(Operation *op) const {
    std::optional<Access> access = accessOf(op);
    return access &&
           llvm::any_of(accesses, [&](const Access &a) { return mayCollide(a, *access); });
  }

  bool needsGroup(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && (llvm::is_contained(open.ops, source) ||
                        (inlining.isInlined(source) && needsGroup(source)));
    });
  }

  bool canGoBefore(Operation *op) const {
    bool isPlain =
        isa<memref::LoadOp, memref::PrefetchOp, memref::ViewOp, memref::SubViewOp, memref::CastOp>(
            op) ||
        isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
    // An op that takes the variable of a loop's argument must follow all ops that read the
    // argument.
    bool replaces = op->getNumResults() == 1 && inlining.replaced(op->getOpResult(0));
    return isPlain && !replaces && !needsGroup(op) && !collides(op);
  }

  const Inlining &inlining;
  LaneGroup open;
  SmallVector<Access> accesses;
};

} // namespace

bool isLaneOp(Operation *op) {
  if (isa<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp,
          vector::GatherOp, vector::ScatterOp>(op)) {
    return true;
  }
  return op->getNumResults() == 1 && isa<VectorType>(op->getResult(0).getType()) && isLanewise(op);
}

std::vector<LaneGroup> groupLanes(Block &block, const Inlining &inlining) {
  Grouping grouping(inlining);
  for (Operation &op : block) {
    if (!op.hasTrait<OpTrait::IsTerminator>()) {
      grouping.add(&op);
    }
  }
  grouping.close();
  return std::move(grouping.groups);
}

} // namespace convoy::codegen
