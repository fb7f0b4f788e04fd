// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups ops into kernels, block by block, in one walk. If a value has only one reader, the
// reader joins the group of the op that defines the value. If a value has several readers, its
// group joins theirs once all readers are element-wise ops of one group, as in x * sigmoid(x).
// All readers of a joined value are in its group, so groups have no cycles. A group contains at
// most one op that loops, because this op determines the cost of the kernel.
// The conversion of f16, bf16 or packed weights joins the group of the convolution or product that
// reads the weights if a template supports the kernel; the template converts weights when it loads
// them.
// Transposes join the group of a product if the template `product` supports the kernel, and a max
// pool joins the group of a convolution if the template `conv_bytes` supports the kernel. An op
// does not join the group of a layer if the layer would lose its template and two kernels are
// faster.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/OpFacts.h"
#include "Graph/PackedMatrix.h"

using namespace mlir;
using convoy::graph::OpClass;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEKERNELSPASS
#include "Fusion/Passes.h.inc"

namespace {

struct Group {
  SmallVector<Operation *> ops; // in block order; the last op is the root
  bool hasLoops = false;        // contains a reduction or a heavy op
  bool isElementwise = true;    // contains only ops that read all groups at one index
};

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns whether `operand` holds the indices of a gather that reads one index for each element of
/// its result, at the same index. The gather then reads its other operand at positions from data,
/// but the indices like an element-wise op.
bool isIndexOfElements(Operation *op, Value operand) {
  if (auto gather = dyn_cast<graph::GatherElementsOp>(op)) {
    return operand == gather.getIndices() && operand != gather.getInput();
  }
  auto gather = dyn_cast<graph::GatherOp>(op);
  return gather && operand == gather.getIndices() && operand != gather.getInput() &&
         shapeOf(gather.getInput()).size() == 1;
}

/// Returns whether the op reads its operands at the index of its result, except for the data of a
/// gather of elements.
bool readsInPlace(Operation *op) {
  bool isGather = isa<graph::GatherOp, graph::GatherElementsOp>(op);
  return graph::classify(op) == OpClass::Elementwise ||
         (isGather && isIndexOfElements(op, op->getOperand(1)));
}

/// Returns whether `consumer` reads each element of the operand about once, so that computing
/// the element on demand causes no extra cost.
bool mayPull(const Group &producer, Operation *consumer, Value operand, bool consumerHasLoops) {
  if (isIndexOfElements(consumer, operand)) {
    return shapeOf(operand) == shapeOf(consumer->getResult(0)) && !producer.hasLoops;
  }
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

/// Returns whether the template `conv_bytes` computes a max pool together with the convolution
/// before it.
bool joinsConvolution(const Group &producer, const Group &group, Operation *consumer) {
  if (!isa<graph::MaxPoolOp>(consumer) || !group.ops.empty() || producer.ops.size() != 2 ||
      !isa<graph::IntegerConvOp>(producer.ops.front())) {
    return false;
  }
  SmallVector<Operation *> ops(producer.ops);
  ops.push_back(consumer);
  return whyNotFor("conv_bytes", ops, /*isStrictMath=*/false).empty();
}

/// Returns whether the producer converts constant weights of a narrower type, or dequantizes a
/// packed matrix, for a convolution or product, and a template loads them in that type.
bool joinsLayer(const Group &producer, OpOperand &operand) {
  Operation *layer = operand.getOwner();
  bool isWeight = isa<graph::ConvOp, graph::MatMulOp>(layer) && operand.getOperandNumber() == 1;
  Operation *conversion = producer.ops.front();
  auto cast = dyn_cast<graph::CastOp>(conversion);
  bool isConversion = cast ? cast.getInput().getDefiningOp<graph::ConstantOp>() != nullptr
                           : graph::isPackedMatrix(conversion);
  return isWeight && isConversion && producer.ops.size() == 1 &&
         cyclesOf({conversion, layer}).hasTemplate;
}

/// Returns whether joining the producer and the group of `consumer` loses the template of a layer
/// in one of them, and two kernels are faster than one. On targets with byte ops, templates are
/// many times faster than generic loops, so only the templates of the producer count.
bool leavesTemplate(const Group &producer, const Group &group, Operation *consumer) {
  bool hasByteOps = kernels::machineOf(consumer).hasByteOps;
  if (!producer.hasLoops && (hasByteOps || !group.hasLoops)) {
    return false;
  }
  SmallVector<Operation *> own(group.ops);
  own.push_back(consumer);
  SmallVector<Operation *> ops(producer.ops);
  ops.append(own);
  KernelCycles joint = cyclesOf(ops);
  if (joint.hasTemplate) {
    return false;
  }
  KernelCycles first = cyclesOf(producer.ops);
  if (hasByteOps) {
    return first.hasTemplate;
  }
  KernelCycles second = cyclesOf(own);
  return (first.hasTemplate || second.hasTemplate) && first.cycles + second.cycles < joint.cycles;
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
    group.isElementwise = readsInPlace(op);
    for (OpOperand &operand : op->getOpOperands()) {
      pull(group, op, operand);
    }
    group.ops.push_back(op);
    while (pullShared(group)) {
    }
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
    if (!isSmall ||
        (!mayPull(it->second, op, operand.get(), group.hasLoops) &&
         !joinsProduct(it->second, group, op) && !joinsConvolution(it->second, group, op) &&
         !joinsLayer(it->second, operand)) ||
        leavesTemplate(it->second, group, op)) {
      return;
    }
    group.ops.append(it->second.ops);
    absorb(group, it);
  }

  /// Pulls the group of one value with several readers, if this group of element-wise ops contains
  /// all its readers. They read the value at the same index, so the kernel computes it once.
  bool pullShared(Group &group) {
    if (!group.isElementwise) {
      return false;
    }
    for (Operation *reader : group.ops) {
      for (Value operand : reader->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        auto it = producer ? groups.find(producer) : groups.end();
        if (it != groups.end() && isShared(group, it->second)) {
          group.ops.insert(group.ops.begin(), it->second.ops.begin(), it->second.ops.end());
          absorb(group, it);
          return true;
        }
      }
    }
    return false;
  }

  bool isShared(const Group &group, const Group &producer) const {
    Operation *root = producer.ops.back();
    bool isSmall = static_cast<int64_t>(group.ops.size() + producer.ops.size()) <= maxOps;
    return isSmall && root->getNumResults() == 1 && !root->hasOneUse() &&
           graph::classify(root) != OpClass::Whole &&
           llvm::all_of(root->getUses(), [&](OpOperand &use) {
             return llvm::is_contained(group.ops, use.getOwner()) && !graph::isStaticOperand(use) &&
                    mayPull(producer, use.getOwner(), use.get(), group.hasLoops);
           });
  }

  /// Updates the facts of a group that has taken the ops of another group.
  void absorb(Group &group, llvm::DenseMap<Operation *, Group>::iterator other) {
    group.hasLoops |= other->second.hasLoops;
    group.isElementwise &= other->second.isElementwise;
    fused += other->second.ops.size();
    groups.erase(other);
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
      Operation *parent = block->getParentOp();
      if (!isa<graph::KernelOp>(parent) && !parent->getParentOfType<graph::KernelOp>()) {
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
