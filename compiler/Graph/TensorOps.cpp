// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Tensor.td.

#include "Graph/Graph.h"

using namespace mlir;

#include "Graph/Tensor.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/Tensor.cpp.inc"

namespace convoy::graph {

bool ConstantOp::collapsesDimensions() { return getValue().getNumElements() == 1; }

void GraphDialect::registerTensorOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Tensor.cpp.inc"
      >();
}

} // namespace convoy::graph
