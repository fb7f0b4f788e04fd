// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates: the ways to run a kernel. A candidate names a template configuration, the layouts of
// operands and results, and an estimated cost. ChooseLayouts.cpp picks one candidate per kernel;
// the tuner builds candidates from configurations.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Machine.h"
#include "llvm/Support/Error.h"

namespace convoy::layout {

struct Candidate {
  /// Layouts that the kernel expects of its operands and gives its results. Null is planar.
  llvm::SmallVector<mlir::Attribute> operands;
  mlir::Attribute result;
  /// The template's configuration; null for the generic loops.
  mlir::Attribute config;
  double cycles = 0;
};

/// Returns the convolution or matrix product of a kernel, on floats or integers, or nullopt.
std::optional<kernels::ConvKernel> layerOf(graph::KernelOp kernel);

/// Returns all candidates of the kernel, the planar generic loops first. With strict math, Winograd
/// candidates are omitted, because they round differently from a direct sum.
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
double reorderCycles(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to);

} // namespace convoy::layout
