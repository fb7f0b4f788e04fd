// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tasks from their canonical text, which Layout/CanonicalTask.h writes.

#pragma once

#include "Graph/Graph.h"
#include "Layout/CanonicalTask.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tuning/space/Task.h"
#include "llvm/Support/Error.h"

namespace convoy::tuning {

using layout::taskOf;

/// A task as a module with one function, @main, of one planar kernel without a configuration.
/// Weights are constants whose values depend on the task's key. Other operands are arguments.
struct TaskModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TaskSettings settings;

  mlir::func::FuncOp main();
  graph::KernelOp kernel();
};

/// Loads the dialects that the text of tasks uses.
void loadTaskDialects(mlir::MLIRContext &context);

/// Reads canonical text. The error states what is wrong with the text.
llvm::Expected<TaskModule> readTask(const Task &task, mlir::MLIRContext *context);

/// Returns values in [low, high) that depend on the seed; integers are rounded down.
Tensor randomTensor(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed, double low,
                    double high);

/// Returns planar arguments for @main. Their values depend on the task's key.
std::vector<Tensor> taskInputs(const Task &task, TaskModule &module);

} // namespace convoy::tuning
