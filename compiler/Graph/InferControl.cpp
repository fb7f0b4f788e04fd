// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Control.td.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult IfOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult LoopOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ScanOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult KernelOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
