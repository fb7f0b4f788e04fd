// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Reduction.td.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult ReduceOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ArgReduceOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult CumulativeOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult DetOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult DFTOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
