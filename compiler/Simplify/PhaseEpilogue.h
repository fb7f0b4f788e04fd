// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ops after a transposed convolution that can compute on its phases.
// LowerTransposedConvs.cpp moves them before the interleave of the phases.

#pragma once

#include "Graph/Graph.h"

namespace convoy::simplify {

/// Returns element-wise ops after the op, in block order, that read only its result, each other,
/// and constants with one element or one element per channel. Only the last one has readers
/// outside.
llvm::SmallVector<mlir::Operation *> findPhaseEpilogue(graph::ConvTransposeOp conv);

} // namespace convoy::simplify
