// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Control.td.

#include "Graph/Graph.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Graph/Control.cpp.inc"

namespace convoy::graph {

void GraphDialect::registerControlOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Control.cpp.inc"
      >();
}

} // namespace convoy::graph
