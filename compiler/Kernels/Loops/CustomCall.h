// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers kernels that call a C function of the user. The template of the generic loops calls these
// functions.

#pragma once

#include "Graph/Custom.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Returns the custom op of a kernel, or null. Fusion joins no other op with it.
graph::CustomOp customOpIn(mlir::Block &body);

/// Lowers a kernel with a custom op to one step that calls the function.
mlir::LogicalResult lowerCustomCall(task::KernelOp kernel, graph::CustomOp op);

/// Returns the estimated cycles of a call: one per declared operation, or per element.
double customCallCycles(graph::CustomOp op);

} // namespace convoy::kernels
