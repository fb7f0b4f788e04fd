// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks from their canonical text, which Layout/CanonicalTask.h writes.

#pragma once

#include "Graph/Graph.h"
#include "Layout/CanonicalTask.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tuning/space/Task.h"
#include "llvm/Support/Error.h"

namespace convoy::tuning {

using layout::taskOf;

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
