// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task with one configuration, whatever the layout stage would have chosen. Arguments
// and results of @main have the layouts that the kernel wants, so that running it runs
// the kernel alone, without reorders.

#pragma once

#include "Layout/Candidates.h"
#include "tuning/space/Configuration.h"
#include "tuning/space/ReadTask.h"

namespace convoy::tuning {

/// The layouts that a configuration wants of a planar kernel. The error says why the
/// kernel cannot run so; the configuration may come from a file.
llvm::Expected<layout::Candidate> readCandidate(graph::KernelOp kernel,
                                                const Configuration &configuration);

/// Gives the kernel its configuration, and its function the layouts that go with it:
/// operands that are constants are packed, those that are arguments change type. Errors
/// are those of readCandidate.
llvm::Error forceConfiguration(graph::KernelOp kernel, const Configuration &configuration);

/// The arguments of a configured @main as they lie in memory, from planar ones.
std::vector<Tensor> packInputs(mlir::func::FuncOp main, llvm::ArrayRef<Tensor> planar);

/// The results of a configured @main, planar, from what lies in memory.
std::vector<Tensor> unpackOutputs(mlir::func::FuncOp main, llvm::ArrayRef<Tensor> memory);

/// Elements in memory, with padding, of each result of a configured @main.
std::vector<int64_t> outputElements(mlir::func::FuncOp main);

} // namespace convoy::tuning
