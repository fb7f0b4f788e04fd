// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Elementwise.td.

#include "Graph/Graph.h"

using namespace mlir;

#include "Graph/Elementwise.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/Elementwise.cpp.inc"

namespace convoy::graph {

void GraphDialect::registerElementwiseOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Elementwise.cpp.inc"
      >();
}

} // namespace convoy::graph
