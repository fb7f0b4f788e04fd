// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the ops of an attention into one kernel if the attention template supports it. Otherwise
// convoy-fusion-fuse-kernels groups the ops like all others, and the product with the values keeps
// the reason for `convoy explain`.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Kernels/Attention/AttentionProblem.h"
#include "Kernels/Attributes.h"

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "Fusion/Passes.h.inc"

namespace {

struct FuseAttention : impl::FuseAttentionPassBase<FuseAttention> {
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<graph::MatMulOp> products;
    getOperation().walk([&](graph::MatMulOp product) {
      if (!product->getParentOfType<graph::KernelOp>()) {
        products.push_back(product);
      }
    });
    // Backwards, because a group contains an earlier product, which the walk must not visit again.
    llvm::SmallPtrSet<Operation *, 16> grouped;
    for (graph::MatMulOp product : llvm::reverse(products)) {
      if (!grouped.contains(product)) {
        fuse(product, grouped);
      }
    }
  }

  void fuse(graph::MatMulOp product, llvm::SmallPtrSetImpl<Operation *> &grouped) {
    kernels::AttentionMatch match = kernels::matchAttention(product);
    if (!match.hasSoftmax) {
      return;
    }
    std::string reason = match.reason;
    if (match.problem) {
      ArrayRef<Operation *> ops = match.problem->ops;
      SmallVector<Operation *> members(ops.begin(), ops.end());
      reason = fuseFor("attention", members, isStrictMath);
      if (reason.empty()) {
        grouped.insert(members.begin(), members.end());
        ++fusedAttentions;
        return;
      }
    }
    product->setAttr(kernels::kWhyNotAttentionAttr, StringAttr::get(&getContext(), reason));
  }
};

} // namespace
} // namespace convoy::fusion
