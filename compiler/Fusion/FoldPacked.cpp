// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-fusion-fold-packed. A packed matrix that several products read gets one
// dequantize_linear per product, because each product is a kernel of its own. The products still
// share the packed constants.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/PackedMatrix.h"
#include "reference/FoldOp.h"

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_FOLDPACKEDPASS
#include "Fusion/Passes.h.inc"

namespace {

/// Gives each reader of the op a copy of its own, right before the reader. The op stays unread.
SmallVector<Operation *> copyForReaders(Operation *op) {
  SmallVector<Operation *> copies;
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    OpBuilder builder(use.getOwner());
    copies.push_back(builder.clone(*op));
    use.set(copies.back()->getResult(0));
  }
  return copies;
}

bool hasTemplate(Operation *matrix) {
  return cyclesOf({matrix, *matrix->getUsers().begin()}).hasTemplate;
}

struct FoldPacked : impl::FoldPackedPassBase<FoldPacked> {
  using FoldPackedPassBase::FoldPackedPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> matrices;
    getOperation().walk([&](graph::DequantizeLinearOp op) {
      if (!op->getParentOfType<graph::KernelOp>() && graph::isPackedMatrix(op)) {
        matrices.push_back(op);
      }
    });
    for (Operation *matrix : matrices) {
      SmallVector<Operation *> copies = copyForReaders(matrix);
      // If one product needs f32, the packed form would be a second copy in memory.
      if (llvm::all_of(copies, hasTemplate)) {
        matrix->erase();
        continue;
      }
      for (Operation *copy : copies) {
        copy->replaceAllUsesWith(matrix);
        copy->erase();
      }
      foldedMatrices += reference::foldOp(matrix) ? 1 : 0;
    }
  }
};

} // namespace
} // namespace convoy::fusion
