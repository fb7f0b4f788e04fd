// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Integer.td and
// Normalization.td.

#include "Graph/TableNormalization.h"

using namespace mlir;

#include "Graph/Integer.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/Integer.cpp.inc"
#define GET_OP_CLASSES
#include "Graph/Normalization.cpp.inc"

namespace convoy::graph {

bool RequantizeOp::collapsesDimensions() {
  return cast<RankedTensorType>(getMultiplier().getType()).getRank() == 0;
}

void GraphDialect::registerIntegerOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Integer.cpp.inc"
      >();
  registerOps<
#define GET_OP_LIST
#include "Graph/Normalization.cpp.inc"
      >();
}

} // namespace convoy::graph
