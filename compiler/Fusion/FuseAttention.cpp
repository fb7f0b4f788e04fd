// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the ops of an attention into one kernel if the attention template supports it. Otherwise
// convoy-fusion-fuse-kernels groups the ops like all other ops, and the product with the values
// keeps the reason for `convoy explain`. The lanes of the template are queries, so the pass
// transposes masks with an element for each query and key.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Graph/TypedBuilder.h"
#include "Kernels/Attributes.h"
#include "Kernels/KernelTemplate.h"
#include <cstring>
#include <numeric>

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "Fusion/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kTemplate = "attention";

/// Exchanges the last two dimensions.
Tensor transposed(const Tensor &tensor) {
  Shape shape(tensor.shape());
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  std::swap(shape[shape.size() - 2], shape.back());
  Tensor result(tensor.type(), shape);
  int64_t bytes = storageBytes(tensor.type());
  const auto *from = static_cast<const char *>(tensor.raw());
  auto *to = static_cast<char *>(result.mutableRaw());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
    int64_t place = (matrix * columns + column) * rows + row;
    std::memcpy(to + place * bytes, from + i * bytes, bytes);
  }
  return result;
}

struct FuseAttention : impl::FuseAttentionPassBase<FuseAttention> {
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    attention = kernels::templateWithId(kTemplate);
    assert(attention && "the list of templates contains attention");
    SmallVector<graph::MatMulOp> products;
    getOperation().walk([&](graph::MatMulOp product) {
      if (!product->getParentOfType<graph::KernelOp>()) {
        products.push_back(product);
      }
    });
    // Backwards, because a group contains an earlier product, which the walk must not visit again.
    llvm::SmallPtrSet<Operation *, 16> grouped;
    transposedConstants.clear();
    for (graph::MatMulOp product : llvm::reverse(products)) {
      if (!grouped.contains(product)) {
        fuse(product, grouped);
      }
    }
  }

  void fuse(graph::MatMulOp product, llvm::SmallPtrSetImpl<Operation *> &grouped) {
    kernels::GroupMatch match = attention->matchGroup(product);
    if (!match.isCandidate) {
      return;
    }
    std::string reason = match.reason;
    if (!match.ops.empty()) {
      SmallVector<Operation *> members = match.ops;
      reason = whyNotFor(kTemplate, members, isStrictMath);
      if (reason.empty()) {
        transposeMasks(match.transposed, members);
        replaceByKernel(members, createKernel(members));
        grouped.insert(members.begin(), members.end());
        ++fusedAttentions;
        return;
      }
    }
    product->setAttr(kernels::kWhyNotAttentionAttr, StringAttr::get(&getContext(), reason));
  }

  /// Replaces each mask by the transpose of its transpose. The last transpose is part of the
  /// kernel, which then reads adjacent queries at adjacent addresses. Attentions share the first
  /// one.
  void transposeMasks(ArrayRef<OpOperand *> masks, SmallVectorImpl<Operation *> &members) {
    for (OpOperand *mask : masks) {
      Value swapped = transposedMask(mask->get(), mask->getOwner());
      OpBuilder builder(mask->getOwner());
      graph::TypedBuilder b(builder, mask->getOwner()->getLoc());
      mask->set(b.transpose(swapped, permutationOf(swapped)));
      members.push_back(mask->get().getDefiningOp());
    }
    llvm::sort(members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  /// Returns the transposed mask of an op. Attentions with the same mask share it.
  Value transposedMask(Value mask, Operation *owner) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(mask);
    SmallVector<int64_t> perm = permutationOf(mask);
    if (auto constant = mask.getDefiningOp<graph::ConstantOp>()) {
      Value &swapped = transposedConstants[constant];
      if (!swapped) {
        swapped =
            graph::constant(builder, owner->getLoc(), transposed(*graph::constantValue(mask)));
      }
      return swapped;
    }
    for (Operation *user : mask.getUsers()) {
      auto known = dyn_cast<graph::TransposeOp>(user);
      if (known && known.getPerm() == ArrayRef<int64_t>(perm) &&
          known->getBlock() == owner->getBlock() && known->isBeforeInBlock(owner)) {
        return known.getResult();
      }
    }
    return graph::TypedBuilder(builder, owner->getLoc()).transpose(mask, perm);
  }

  static SmallVector<int64_t> permutationOf(Value mask) {
    SmallVector<int64_t> perm(cast<RankedTensorType>(mask.getType()).getRank());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 2], perm.back());
    return perm;
  }

  const kernels::KernelTemplate *attention = nullptr;
  /// The transpose of each constant mask so far.
  llvm::DenseMap<Operation *, Value> transposedConstants;
};

} // namespace
} // namespace convoy::fusion
