// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical text of a kernel's task: a few lines of settings and one function that
// MLIR reads, so a task can be pasted into a test:
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

/// The first line of each text.
inline constexpr llvm::StringLiteral kTaskHeader = "convoy-task 1";
/// Marks an argument whose values are known when compiling.
inline constexpr llvm::StringLiteral kWeightAttr = "graph.weight";

/// Whether a task may have an operand or result of that type: planar, static, f32.
bool isTaskTensor(mlir::Type type);

/// The task of a planar kernel. Nullopt when there is nothing to tune: data that is not
/// f32 only the generic loops take, and large constants inside are no part of a text.
std::optional<Task> taskOf(graph::KernelOp kernel, const TaskSettings &settings);

} // namespace convoy::layout
