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

/// Returns whether a task may have an operand or result of this type: planar, static shape, and
/// elements of f32, f16, bf16, 8-bit integers, i32 or i1.
bool isTaskTensor(mlir::Type type);

/// Returns the task of a planar kernel. Returns nullopt if the tuner cannot make data for the
/// kernel (a type without a task, integers that are indices) or if the kernel has a large
/// constant, which the canonical text cannot hold.
std::optional<Task> taskOf(graph::KernelOp kernel, const TaskSettings &settings);

} // namespace convoy::layout
