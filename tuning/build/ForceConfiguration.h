// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies one configuration to a task, independent of the choice of the Layout stage. The
// arguments and results of @main get the layouts of the kernel, so a run of @main runs only
// the kernel, without reorders.

#pragma once

#include "Layout/Candidates.h"
#include "tuning/space/Configuration.h"
#include "tuning/space/ReadTask.h"

namespace convoy::tuning {

/// Returns the layouts that a configuration requires for a planar kernel, or the reason why
/// the kernel cannot run with it. The configuration may come from a file, so it may be
/// invalid.
llvm::Expected<layout::Candidate> readCandidate(graph::KernelOp kernel,
                                                const Configuration &configuration);

/// Sets the configuration of the kernel and the layouts of its function. Constant operands are
/// packed, and arguments change their type. The errors are those of readCandidate().
llvm::Error forceConfiguration(graph::KernelOp kernel, const Configuration &configuration);

/// Converts the planar arguments of a configured @main to their representation in memory.
std::vector<Tensor> packInputs(mlir::func::FuncOp main, llvm::ArrayRef<Tensor> planar);

/// Converts the results of a configured @main from their representation in memory to planar
/// tensors.
std::vector<Tensor> unpackOutputs(mlir::func::FuncOp main, llvm::ArrayRef<Tensor> memory);

/// Returns the number of elements in memory, including padding, of each result of a configured
/// @main.
std::vector<int64_t> outputElements(mlir::func::FuncOp main);

} // namespace convoy::tuning
