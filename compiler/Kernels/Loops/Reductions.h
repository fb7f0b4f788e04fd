// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of graph.reduce: the value that each kind starts with, how it adds a term, and how
// it computes the result. The generic loops and the template `rows` share it.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Loops/Arithmetic.h"

namespace convoy::kernels {

/// Returns whether the kind is a sum. Sums of floats accumulate in f64: a reduction is bound by its
/// loads, so f64 costs little, and means determine the normalization of a whole tensor.
bool isSum(graph::ReduceKind kind);

/// Returns the type of the accumulator. Sums of integers wrap and give the same low bits in any
/// width, but a division depends on the high bits. Reductions that are defined on real numbers
/// convert integers to f64.
ElementType accumulatorType(graph::ReduceKind kind, ElementType type);

/// Returns the result of the kind for no elements.
mlir::Value startOf(Arithmetic &a, graph::ReduceKind kind);

/// Returns the term of an element, for example its square. Only log_sum_exp reads `maximum`.
mlir::Value termOf(Arithmetic &a, graph::ReduceKind kind, mlir::Value x, mlir::Value maximum);

/// Combines the accumulator `sum` with a term or with another accumulator.
mlir::Value addTerm(Arithmetic &a, graph::ReduceKind kind, mlir::Value sum, mlir::Value x);

/// Returns the result of the accumulator of `count` terms.
mlir::Value finishTerms(Arithmetic &a, graph::ReduceKind kind, mlir::Value sum, int64_t count,
                        mlir::Value maximum);

} // namespace convoy::kernels
