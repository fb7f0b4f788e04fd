// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kind of work an op is, for the stages that group ops into kernels.

#pragma once

#include "mlir/IR/Operation.h"

namespace convoy::graph {

enum class OpClass {
  Elementwise, // one element of each operand gives one element of the result
  Movement,    // picks elements, computes none
  Reduction,   // reads each operand element about once per result
  Heavy,       // reads operand elements many times: convolution, product, window
  Whole,       // writes its result as the data says; nothing fuses with it
  Control,     // regions
  None,        // constants and what the CPU does not run
};

OpClass classify(mlir::Operation *op);

/// Whether the op gives the same elements when neighbouring dimensions that all
/// its tensors share are taken as one.
bool collapsesDimensions(mlir::Operation *op);

/// Whether the operand says what the op is (a shape, axes, a count) rather than
/// what it works on. Where it is constant it stands inside the kernel; most
/// templates cannot do without.
bool isStaticOperand(mlir::OpOperand &operand);

} // namespace convoy::graph
