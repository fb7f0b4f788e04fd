// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect.

#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tasks/TaskDialect.h.inc"

#define GET_OP_CLASSES
#include "Tasks/Task.h.inc"

namespace convoy::task {

/// Marks a function as a kernel.
constexpr llvm::StringLiteral kKernelAttr = "task.kernel";
/// The number of steps of a lowered kernel's outermost loop.
constexpr llvm::StringLiteral kRangeAttr = "task.range";

/// The type on tensors of a lowered kernel, for people who read its code.
constexpr llvm::StringLiteral kTypeAttr = "task.type";

/// The locations of all nodes that a lowered kernel computes, for the same.
constexpr llvm::StringLiteral kNodesAttr = "task.nodes";

/// The bytes of scratch memory that a run of a lowered kernel needs, if any: an
/// argument before the range.
constexpr llvm::StringLiteral kScratchAttr = "task.scratch";
/// Marks a lowered kernel that may fail: an argument before the range, and before any
/// scratch memory, is the cell of the run's status.
constexpr llvm::StringLiteral kStatusAttr = "task.status";
/// On a module: the programs of its devices, as constants, in the order in which
/// task.offload counts them.
constexpr llvm::StringLiteral kProgramsAttr = "task.programs";
/// Arguments of a lowered kernel that may be the same memory: operands that it reads
/// only where it is about to write, and behind them the result.
constexpr llvm::StringLiteral kInPlaceAttr = "task.in_place";
/// The template and settings that lower a kernel; absent for the generic loops.
constexpr llvm::StringLiteral kConfigAttr = "task.config";

/// How many steps in a row share what the first of them prepares, if they do: cut
/// between them, it is prepared again.
constexpr llvm::StringLiteral kJointAttr = "task.joint";

/// Marks a function as what one thread of a region does.
constexpr llvm::StringLiteral kWorkerAttr = "task.worker";
/// The number of threads that a module was scheduled for; absent for one.
constexpr llvm::StringLiteral kThreadsAttr = "task.threads";

/// The scheduler that made the lists of a module's workers.
constexpr llvm::StringLiteral kSchedulerAttr = "task.scheduler";

/// What its schedule promises, on the module: `ns`, and `serialNs` of one thread.
constexpr llvm::StringLiteral kPredictionAttr = "task.prediction";

/// What a plan for a deadline promises, on the module: `deadlineNs`, `cores`, `ns` and
/// `microjoules` of the plan, `fullNs` and `fullMicrojoules` of all cores at full speed.
constexpr llvm::StringLiteral kPowerPlanAttr = "task.power_plan";

/// A flag is the first element of its line: no two are in one cache line.
constexpr int64_t kFlagElems = 16;
/// The word of a part of a share: steps taken from its front and from its back.
constexpr int64_t kWordElems = 2;

inline bool isKernel(mlir::Operation *op) { return op->hasAttr(kKernelAttr); }

} // namespace convoy::task
