// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the code that TableGen generates from Reduction.td.

#include "Graph/Graph.h"

using namespace mlir;

#include "Graph/Reduction.enum.cpp.inc"

#define GET_OP_CLASSES
#include "Graph/Reduction.cpp.inc"

namespace convoy::graph {

/// The logarithm of a sum of exponentials reads its operand twice.
bool ReduceOp::readsOnce() { return getKind() != ReduceKind::LogSumExp; }

bool ReduceOp::commutesWithQuantization() {
  return getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
}

void GraphDialect::registerReductionOps() {
  registerOps<
#define GET_OP_LIST
#include "Graph/Reduction.cpp.inc"
      >();
}

} // namespace convoy::graph
