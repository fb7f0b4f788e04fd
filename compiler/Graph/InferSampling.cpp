// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of NN.td: sampling.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {

LogicalResult DeformConvOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult MaxRoiPoolOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult RoiAlignOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult ResizeOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult GridSampleOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

LogicalResult NonMaxSuppressionOp::inferTypes(TypeInference &inference) {
  return inference.error() << "has no type rule yet";
}

} // namespace convoy::graph
