// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks from kernels and back. The canonical text is a few lines of settings and one
// function that MLIR reads, so a task can be pasted into a test:
//
//     convoy-task 1
//     math fast
//     threads 1
//     module {
//       func.func @main(%arg0: tensor<...>, %arg1: tensor<...> {graph.weight}, ...)

#pragma once

#include "Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tuning/space/Task.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace convoy::tuning {

struct TaskSettings {
  /// Keep to direct algorithms.
  bool isStrictMath = false;
  int64_t threads = 1;
};

/// The task of a planar kernel. Nullopt when there is nothing to tune: data that is not
/// f32 only the generic loops take, and large constants inside are no part of a text.
std::optional<Task> taskOf(graph::KernelOp kernel, const TaskSettings &settings);

/// A task as a module of one function, @main, of one kernel: planar, not yet configured.
/// Weights are constants whose values follow from the task's key; other operands are
/// arguments.
struct TaskModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TaskSettings settings;

  mlir::func::FuncOp main();
  graph::KernelOp kernel();
};

/// Loads the dialects that tasks are written in.
void loadTaskDialects(mlir::MLIRContext &context);

/// Reads canonical text. The error says what is wrong with it.
llvm::Expected<TaskModule> readTask(const Task &task, mlir::MLIRContext *context);

/// Values in [-scale, scale) that follow from the seed.
Tensor randomTensor(llvm::ArrayRef<int64_t> shape, uint64_t seed, float scale);

/// The planar arguments of @main, as values that follow from the task's key.
std::vector<Tensor> taskInputs(const Task &task, TaskModule &module);

} // namespace convoy::tuning
