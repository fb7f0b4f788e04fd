// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of NN.td.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult ConvOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ConvTransposeOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult MatMulOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult EinsumOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult MaxPoolOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult AveragePoolOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult LpPoolOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult MaxUnpoolOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult BatchNormOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult SoftmaxOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult LRNOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
