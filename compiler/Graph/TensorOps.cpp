// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Tensor.td, Extent.td and
// Custom.td.

#include "Graph/Custom.h"
#include "Graph/Extent.h"

using namespace mlir;

#include "Graph/Tensor.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/Tensor.cpp.inc"
#define GET_OP_CLASSES
#include "Graph/Extent.cpp.inc"
#define GET_OP_CLASSES
#include "Graph/Custom.cpp.inc"

namespace convoy::graph {

bool ConstantOp::collapsesDimensions() { return getValue().getNumElements() == 1; }

void GraphDialect::registerTensorOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Tensor.cpp.inc"
      >();
  registerOps<
#define GET_OP_LIST
#include "Graph/Extent.cpp.inc"
      >();
  registerOps<
#define GET_OP_LIST
#include "Graph/Custom.cpp.inc"
      >();
}

} // namespace convoy::graph
