// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the conv_bytes template.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// A convolution or product on bytes with its requantize op, and the max pool or the sum after it.
struct BytesConv {
  ConvKernel conv;
  // mutable, because the accessors of ops are not const
  mutable graph::RequantizeOp requantize;
  mutable graph::MaxPoolOp pool;   // null if there is none
  mutable graph::IntegerAddOp sum; // null if there is none

  /// Returns the bytes of the input that one result pixel reads.
  int64_t depth() const { return conv.problem.inputChannels * conv.problem.taps(); }
  /// Returns the numbers of a patch. The loads of the machine read whole vectors or words of it.
  int64_t patchNumbers(const Machine &machine) const;
  /// Returns the pixels of a window of the pool, or 0.
  int64_t windowPixels() const;
  /// Returns the operand that is added to the result, or null.
  mlir::BlockArgument added() const;
  /// Returns whether the sums can read the input without a copy of the taps.
  bool isDirect() const;
};

/// Returns whether the machine multiplies vectors of 16 bytes (MVE, which has eight registers).
inline bool hasByteVectors(const Machine &machine) { return machine.vectorRegisters == 8; }

/// Returns the search space. `machine` says which instructions multiply bytes.
Space convBytesSpace(const BytesConv &kernel, const Machine &machine, mlir::MLIRContext *context);

mlir::LogicalResult lowerConvBytes(task::KernelOp kernel, const BytesConv &matched,
                                   ConvBytesAttr config, const Machine &machine);

} // namespace convoy::kernels
