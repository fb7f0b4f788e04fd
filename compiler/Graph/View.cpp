// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows views to the viewed tensor.

#include "Graph/View.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

Value viewedTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isOutside = !isa<KernelOp>(op->getParentOp());
    if (!isa<ReshapeOp>(op) && !(isa<ReorderOp>(op) && isOutside)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

} // namespace convoy::graph
