// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code of Integer.td.

#include "Graph/Graph.h"

using namespace mlir;

#include "Graph/Integer.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/Integer.cpp.inc"

namespace convoy::graph {

void GraphDialect::registerIntegerOps() {
  addOperations<
#define GET_OP_LIST
#include "Graph/Integer.cpp.inc"
      >();
}

} // namespace convoy::graph
