// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the tasks stage; Passes.td says what each takes and gives.

#pragma once

#include "Tasks/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::tasks {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Tasks/Passes.h.inc"

/// Adds the stage's passes in order.
void addTasksPasses(mlir::OpPassManager &passes);

/// Adds the check of what Kernels and Memory may assume.
void addTasksContract(mlir::OpPassManager &passes);

} // namespace convoy::tasks
