// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds the work of an op on constants before the reference interpreter evaluates the op.

#pragma once

#include "mlir/IR/Operation.h"

namespace convoy::simplify {

/// Returns an upper bound on the products, sums and comparisons of an op whose work can greatly
/// exceed the elements of its operands and results; 0 for other ops. All types must be static.
/// einsum, dft, roi_align and tf_idf are not included: the interpreter counts their terms itself.
double foldingTerms(mlir::Operation *op);

} // namespace convoy::simplify
