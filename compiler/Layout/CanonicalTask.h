// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical text of a kernel's task: a header with settings and one function in MLIR syntax. A
// task can therefore be pasted into a lit test:
//
//     convoy-task 1
//     math fast
//     threads 1
//     module {
//       func.func @main(%arg0: tensor<...>, %arg1: tensor<...> {graph.weight}, ...)

#pragma once

#include "Graph/Graph.h"
#include "Layout/Task.h"
#include <optional>

namespace convoy::layout {

/// The first line of each canonical text.
inline constexpr llvm::StringLiteral kTaskHeader = "convoy-task 1";

/// Returns whether a task may have an operand or result of this type: planar, static shape, f32.
bool isTaskTensor(mlir::Type type);

/// Returns the task of a planar kernel. Returns nullopt if there is nothing to tune: only the
/// generic loops support element types other than f32, and the canonical text cannot hold large
/// constants.
std::optional<Task> taskOf(graph::KernelOp kernel, const TaskSettings &settings);

} // namespace convoy::layout
