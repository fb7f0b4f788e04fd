// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates: the ways to run a kernel. A candidate names a template configuration, the layouts of
// operands and results, and an estimated cost. ChooseLayouts.cpp picks one candidate per kernel;
// the tuner builds candidates from configurations.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/KernelTemplate.h"
#include "llvm/Support/Error.h"

namespace convoy::layout {

using kernels::Candidate;

/// Returns all candidates of the kernel, the planar generic loops first. With strict math,
/// candidates that round differently from a plain sum are omitted.
std::vector<Candidate> candidatesOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                    bool isStrictMath);

/// Returns the candidate for a planar kernel with a given configuration and the main operand in
/// layout `input`. All other layouts follow from these two; `cycles` is 0. A null configuration
/// selects the generic loops. The configuration may come from a file. If the kernel cannot run with
/// it, the error gives the reason.
llvm::Expected<Candidate> candidateFor(graph::KernelOp kernel, mlir::Attribute config,
                                       mlir::Attribute input);

/// Sets the layouts of a candidate on the kernel's block arguments, yielded values and results. The
/// caller converts the operands.
void applyCandidate(graph::KernelOp kernel, const Candidate &candidate);

/// Returns the cycles of a reorder between two layouts, or 0 if both have the same bytes.
double reorderCycles(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to,
                     const kernels::Machine &machine);

} // namespace convoy::layout
