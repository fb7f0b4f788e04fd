// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of NN.td: quantization.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult QuantizeLinearOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult DequantizeLinearOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
