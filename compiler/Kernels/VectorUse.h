// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a kernel's vectors are, and how much of its work they do, from its loops.
// An estimate: bench/vector/measure counts what really runs.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

struct VectorUse {
  double vectorOps = 0;
  double elements = 0;  // of those
  double scalarOps = 0; // without addresses, which instructions mostly hold

  double meanLength() const { return vectorOps > 0 ? elements / vectorOps : 0; }
  /// The share of operations that vectors do.
  double ratio() const { return elements > 0 ? elements / (elements + scalarOps) : 0; }
};

/// Counts the operations of a lowered kernel over its whole range.
VectorUse countVectors(mlir::func::FuncOp kernel);

} // namespace convoy::kernels
