// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows views to the viewed tensor, and finds transposes that are views.

#include "Graph/View.h"
#include "Graph/Graph.h"
#include "Graph/Layout.h"

using namespace mlir;

namespace convoy::graph {

Value viewedTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isOutside = !isa<KernelOp>(op->getParentOp());
    if (!isa<ReshapeOp>(op) && !(isa<ReorderOp, TransposeOp>(op) && isOutside)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// Returns the permutation of `rank` dimensions that moves dimension `from` to
/// place `to` and keeps the order of the others.
static SmallVector<int64_t> movesDim(int64_t rank, int64_t from, int64_t to) {
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  perm.erase(perm.begin() + from);
  perm.insert(perm.begin() + to, from);
  return perm;
}

std::optional<ViewLayouts> layoutsOfView(TransposeOp transpose) {
  auto input = dyn_cast<RankedTensorType>(transpose.getInput().getType());
  if (!input || !input.hasStaticShape() || input.getRank() < 3) {
    return std::nullopt;
  }
  int64_t last = input.getRank() - 1;
  auto oneBlock = [&](int64_t dim) {
    return BlockedAttr::get(transpose.getContext(), std::max<int64_t>(input.getDimSize(dim), 1));
  };
  int64_t channel = channelDim(input.getRank());
  if (transpose.getPerm() == ArrayRef(movesDim(last + 1, last, channel))) {
    return ViewLayouts{Attribute(), oneBlock(last)};
  }
  if (transpose.getPerm() == ArrayRef(movesDim(last + 1, channel, last))) {
    return ViewLayouts{oneBlock(channel), Attribute()};
  }
  return std::nullopt;
}

bool isView(TransposeOp transpose) {
  std::optional<ViewLayouts> layouts = layoutsOfView(transpose);
  return layouts && layoutOf(transpose.getInput().getType()) == layouts->input &&
         layoutOf(transpose.getResult().getType()) == layouts->result;
}

} // namespace convoy::graph
