// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-fusion-fuse-interleaves: forms one kernel of a reshape, a transpose, a reshape
// and slices that move whole blocks of channels. Outside a kernel, a reshape requires planar
// tensors, so the neighbors of the chain would need reorders.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Kernels/Loops/BlockMoves.h"
#include "Kernels/Machine.h"

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEINTERLEAVESPASS
#include "Fusion/Passes.h.inc"

namespace {

bool isMove(Operation *op) {
  return isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(op);
}

/// Returns the longest chain of moves around a transpose whose inner values have one reader.
SmallVector<Operation *> chainAround(graph::TransposeOp transpose) {
  SmallVector<Operation *> chain = {transpose};
  for (Value value = transpose.getInput(); isMove(value.getDefiningOp()) && value.hasOneUse() &&
                                           value.getParentBlock() == transpose->getBlock();
       value = value.getDefiningOp()->getOperand(0)) {
    chain.insert(chain.begin(), value.getDefiningOp());
  }
  for (Value value = transpose.getResult(); value.hasOneUse(); value = chain.back()->getResult(0)) {
    OpOperand &use = *value.use_begin();
    if (!isMove(use.getOwner()) || use.getOperandNumber() != 0 ||
        use.getOwner()->getBlock() != transpose->getBlock()) {
      break;
    }
    chain.push_back(use.getOwner());
  }
  return chain;
}

struct FuseInterleaves : impl::FuseInterleavesPassBase<FuseInterleaves> {
  void runOnOperation() override {
    int64_t block = kernels::machineOf(getOperation()).lanes();
    SmallVector<graph::TransposeOp> transposes;
    getOperation().walk([&](graph::TransposeOp op) {
      if (!op->getParentOfType<graph::KernelOp>()) {
        transposes.push_back(op);
      }
    });
    for (graph::TransposeOp transpose : transposes) {
      SmallVector<Operation *> chain = chainAround(transpose);
      bool hasReshape =
          llvm::any_of(chain, [](Operation *op) { return isa<graph::ReshapeOp>(op); });
      bool isSingle =
          llvm::count_if(chain, [](Operation *op) { return isa<graph::TransposeOp>(op); }) == 1;
      if (hasReshape && isSingle && isReplaceable(chain) &&
          kernels::movesBlocks(chain.back()->getResult(0), chain.front()->getOperand(0), block)) {
        replaceByKernel(chain, createKernel(chain));
        ++interleaves;
      }
    }
  }
};

} // namespace
} // namespace convoy::fusion
