// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups ops into kernels, block by block, in one walk. If a value has only one reader, the
// reader joins the group of the op that defines the value, so groups are trees without cycles.
// A group contains at most one op that loops, because this op determines the cost of the
// kernel. Transposes join the group of a product if the template `product` supports the kernel.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/OpFacts.h"

using namespace mlir;
using convoy::graph::OpClass;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEKERNELSPASS
#include "Fusion/Passes.h.inc"

namespace {

struct Group {
  SmallVector<Operation *> ops; // in block order; the last op is the root
  bool hasLoops = false;        // contains a reduction or a heavy op
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns whether `consumer` reads each element of the operand about once, so that computing
/// the element on demand causes no extra cost.
bool mayPull(const Group &producer, Operation *consumer, Value operand, bool consumerHasLoops) {
  if (graph::classify(consumer) == OpClass::Elementwise) {
    return shapeOf(operand) == shapeOf(consumer->getResult(0)) &&
           !(producer.hasLoops && consumerHasLoops);
  }
  return !producer.hasLoops && graph::readsOnce(consumer);
}

/// Returns whether the op is a product of two computed matrices.
bool isComputedProduct(Operation *op) {
  return isa<graph::MatMulOp>(op) && llvm::none_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<graph::ConstantOp>();
         });
}

/// Returns whether the template `product` computes `consumer` together with the producer and the
/// other ops of the consumer's group. A transpose of a factor or of the result changes only
/// strides.
bool joinsProduct(const Group &producer, const Group &group, Operation *consumer) {
  bool isFactor = isComputedProduct(consumer) && llvm::all_of(producer.ops, [](Operation *op) {
                    return isa<graph::TransposeOp>(op);
                  });
  bool isResult =
      isa<graph::TransposeOp>(consumer) && llvm::any_of(producer.ops, isComputedProduct);
  if (!isFactor && !isResult) {
    return false;
  }
  SmallVector<Operation *> ops(producer.ops);
  ops.append(group.ops);
  ops.push_back(consumer);
  return whyNotFor("product", ops, /*isStrictMath=*/false).empty();
}

class BlockFuser {
public:
  BlockFuser(Block &block, int64_t maxOps) : block(block), maxOps(maxOps) {}

  int64_t run() {
    for (Operation &op : block) {
      place(&op);
    }
    for (Operation *root : roots) {
      if (groups.count(root)) {
        emit(groups[root]);
      }
    }
    return fused;
  }

private:
  void place(Operation *op) {
    OpClass kind = graph::classify(op);
    if (kind == OpClass::None || graph::needsNoKernel(op)) {
      return;
    }
    Group group;
    group.hasLoops = kind == OpClass::Heavy || kind == OpClass::Reduction;
    for (OpOperand &operand : op->getOpOperands()) {
      pull(group, op, operand);
    }
    group.ops.push_back(op);
    roots.push_back(op);
    groups[op] = std::move(group);
  }

  void pull(Group &group, Operation *op, OpOperand &operand) {
    Operation *producer = operand.get().getDefiningOp();
    auto it = producer ? groups.find(producer) : groups.end();
    if (it == groups.end() || producer->getBlock() != &block || !operand.get().hasOneUse() ||
        producer->getNumResults() != 1 || graph::classify(producer) == OpClass::Whole ||
        graph::isStaticOperand(operand)) {
      return;
    }
    bool isSmall = static_cast<int64_t>(group.ops.size() + it->second.ops.size()) < maxOps;
    if (!isSmall || (!mayPull(it->second, op, operand.get(), group.hasLoops) &&
                     !joinsProduct(it->second, group, op))) {
      return;
    }
    group.hasLoops |= it->second.hasLoops;
    fused += it->second.ops.size();
    group.ops.append(it->second.ops);
    groups.erase(it);
  }

  /// Replaces the ops of a group by one kernel at the position of its root. A group that nothing
  /// reads stays, because this pass does not remove dead code.
  void emit(Group &group) {
    if (graph::KernelOp kernel = createKernel(group.ops)) {
      replaceByKernel(group.ops, kernel);
    }
  }

  Block &block;
  int64_t maxOps;
  int64_t fused = 0;
  SmallVector<Operation *> roots;
  llvm::DenseMap<Operation *, Group> groups;
};

struct FuseKernels : impl::FuseKernelsPassBase<FuseKernels> {
  using FuseKernelsPassBase::FuseKernelsPassBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<graph::KernelOp>(block->getParentOp())) {
        blocks.push_back(block);
      }
    });
    for (Block *block : blocks) {
      fusedOps += BlockFuser(*block, maxOps).run();
    }
  }
};

} // namespace
} // namespace convoy::fusion
