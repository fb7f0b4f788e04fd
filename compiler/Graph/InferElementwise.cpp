// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of Elementwise.td.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult UnaryOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ActivationOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult BinaryOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SelectOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult CastOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
