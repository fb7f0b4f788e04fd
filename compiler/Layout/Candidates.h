// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to run a kernel: which template, which layouts, at what cost.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Machine.h"
#include "llvm/Support/Error.h"

namespace convoy::layout {

struct Candidate {
  /// Wanted of each operand and given by each result; null is planar.
  llvm::SmallVector<mlir::Attribute> operands;
  mlir::Attribute result;
  /// The template's configuration; null for the generic loops.
  mlir::Attribute config;
  double cycles = 0;
};

/// The convolution or product of a kernel, on floats or on integers, or nothing.
std::optional<kernels::ConvKernel> layerOf(graph::KernelOp kernel);

/// All ways to run the kernel, the planar one first. Strict math leaves out those
/// that trade multiplications for rounding.
std::vector<Candidate> candidatesOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                    bool isStrictMath);

/// A planar kernel run with a configuration, which may come from a file, and its main
/// operand in a layout: all other layouts follow, cycles are 0. A null configuration is
/// the generic loops. The error says why the kernel cannot be run so.
llvm::Expected<Candidate> candidateFor(graph::KernelOp kernel, mlir::Attribute config,
                                       mlir::Attribute input);

/// Gives the kernel, its arguments and what it yields the types of a candidate. Operands
/// are left to the caller.
void applyCandidate(graph::KernelOp kernel, const Candidate &candidate);

/// Cycles to bring a tensor from one layout to another; 0 when it is the same
/// memory.
double reorderCycles(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to);

} // namespace convoy::layout
