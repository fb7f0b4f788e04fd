// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about ops that passes of several stages read. Each op declares its facts
// in its .td; OpFacts.td documents them. The functions accept an op of any
// dialect: an op of another dialect has the class None and no other fact.

#pragma once

#include "mlir/IR/OpDefinition.h"

namespace convoy::graph {

enum class OpClass {
  Elementwise, // computes each element from one element of each operand
  Movement,    // copies elements without computing
  Reduction,   // reads each operand element about once per result
  Heavy,       // reads operand elements many times: convolution, matrix product, window
  Whole,       // computes its whole result at once; no op fuses with it
  Control,     // has regions
  None,        // constants and ops that the CPU does not run
};

OpClass classify(mlir::Operation *op);
/// Counts the ops that loop in a block: reductions, heavy ops, control flow.
int64_t loopCount(mlir::Block &block);

bool isStaticOperand(mlir::OpOperand &operand);
bool collapsesDimensions(mlir::Operation *op);
bool readsOnce(mlir::Operation *op);
bool needsNoKernel(mlir::Operation *op);
bool namesStorage(mlir::Operation *op);
bool acceptsLayouts(mlir::Operation *op);
bool commutesWithQuantization(mlir::Operation *op);
bool hasIntegerForm(mlir::Operation *op);
bool hasTableForm(mlir::Operation *op);
bool isLinearLayer(mlir::Operation *op);
bool neverFolds(mlir::Operation *op);

/// Returns whether the operand is one of the operands with a name of the .td. The
/// code that TableGen generates calls these functions.
inline bool isOneOf(mlir::OpOperand &operand, mlir::OpOperand &named) { return &operand == &named; }
bool isOneOf(mlir::OpOperand &operand, const mlir::MutableOperandRange &named);

} // namespace convoy::graph

#include "Graph/OpFacts.h.inc"
