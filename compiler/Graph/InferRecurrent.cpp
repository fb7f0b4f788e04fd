// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of NN.td: recurrent.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult RNNOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult GRUOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult LSTMOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
