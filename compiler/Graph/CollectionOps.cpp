// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Collection.td.

#include "Graph/Graph.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Graph/Collection.cpp.inc"

namespace convoy::graph {

void GraphDialect::registerCollectionOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Collection.cpp.inc"
      >();
}

} // namespace convoy::graph
