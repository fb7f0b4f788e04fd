// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from NN.td.

#include "Graph/Graph.h"

using namespace mlir;

#include "Graph/NN.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/NN.cpp.inc"

namespace convoy::graph {

bool MaxPoolOp::commutesWithQuantization() { return getIndices().use_empty(); }

void GraphDialect::registerNNOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/NN.cpp.inc"
      >();
}

} // namespace convoy::graph
