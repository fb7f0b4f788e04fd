// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies ops by their access pattern. Fusion and Layout use the class to
// group ops into kernels.

#pragma once

#include "mlir/IR/Operation.h"

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

/// Returns whether the op computes the same elements if adjacent dimensions
/// that all its tensors share are collapsed into one.
bool collapsesDimensions(mlir::Operation *op);

/// Returns whether the operand is a parameter of the op (a shape, axes, a
/// count) rather than data. A constant parameter is part of the kernel; most
/// kernel templates require it to be constant.
bool isStaticOperand(mlir::OpOperand &operand);

} // namespace convoy::graph
