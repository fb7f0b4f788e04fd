// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates from a kernel's loops how long its vectors are and which share of the work they do.
// bench/vector/measure counts the executed instructions instead.

#pragma once

#include "Task/Task.h"

namespace convoy::kernels {

struct VectorUse {
  double vectorOps = 0;
  double elements = 0;  // elements of all vector operations
  double scalarOps = 0; // without address computations, which addressing modes mostly cover

  double meanLength() const { return vectorOps > 0 ? elements / vectorOps : 0; }
  /// Returns the share of operations that vector instructions do.
  double ratio() const { return elements > 0 ? elements / (elements + scalarOps) : 0; }
};

/// Counts the operations of a lowered kernel over its whole range.
VectorUse countVectors(task::KernelOp kernel);

} // namespace convoy::kernels
