// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the add_bytes template.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// The version of the generated code.
constexpr int kAddBytesVersion = 1;

/// Returns the addition if it is the only op of a kernel that the template supports. Otherwise sets
/// `reason`.
std::optional<graph::IntegerAddOp> matchAddBytes(mlir::Block &body, std::string &reason);

mlir::LogicalResult lowerAddBytes(task::KernelOp function, graph::IntegerAddOp add);

} // namespace convoy::kernels
