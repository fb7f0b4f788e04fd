// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect and the names of its attributes. Stages exchange the properties of kernels and
// schedules through these attributes.

#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Task/TaskDialect.h.inc"

#define GET_OP_CLASSES
#include "Task/Task.h.inc"

namespace convoy::task {

/// Marks a function as a kernel.
constexpr llvm::StringLiteral kKernelAttr = "task.kernel";
/// The number of steps of a lowered kernel's outermost loop.
constexpr llvm::StringLiteral kRangeAttr = "task.range";

/// The type of a lowered kernel on tensors, as documentation of the generated code.
constexpr llvm::StringLiteral kTypeAttr = "task.type";

/// The locations of all nodes that a lowered kernel computes, as documentation of the generated
/// code.
constexpr llvm::StringLiteral kNodesAttr = "task.nodes";

/// The bytes of scratch memory that a run of a lowered kernel needs. The scratch memory is an
/// argument before the range.
constexpr llvm::StringLiteral kScratchAttr = "task.scratch";
/// Marks a lowered kernel that may fail. The status cell of the run is an argument before the
/// scratch memory and the range.
constexpr llvm::StringLiteral kStatusAttr = "task.status";
/// An attribute of a module: the device programs as constants, in the order of their numbers in
/// task.offload.
constexpr llvm::StringLiteral kProgramsAttr = "task.programs";
/// Arguments of a lowered kernel that may share memory: operands whose elements it reads before it
/// writes the result at the same offset, and last the result.
constexpr llvm::StringLiteral kInPlaceAttr = "task.in_place";
/// The template configuration of a kernel; absent for the generic loops.
constexpr llvm::StringLiteral kConfigAttr = "task.config";

/// The number of consecutive steps that share a setup. If a range is split between them, the setup
/// runs again.
constexpr llvm::StringLiteral kJointAttr = "task.joint";

/// Marks the function of one thread of a parallel region.
constexpr llvm::StringLiteral kWorkerAttr = "task.worker";
/// The number of threads for which a module was scheduled; absent for one thread.
constexpr llvm::StringLiteral kThreadsAttr = "task.threads";

/// The scheduler that computed the lists of a module's workers.
constexpr llvm::StringLiteral kSchedulerAttr = "task.scheduler";

/// An attribute of a module: the predicted time `ns` of the schedule, and `serialNs` on one thread.
constexpr llvm::StringLiteral kPredictionAttr = "task.prediction";

/// An attribute of a module with a deadline: `deadlineNs`, `cores`, `ns` and `microjoules` of the
/// plan, and `fullNs` and `fullMicrojoules` of all cores at full speed.
constexpr llvm::StringLiteral kPowerPlanAttr = "task.power_plan";

/// Elements per flag. A flag is the first element of its cache line.
constexpr int64_t kFlagElems = 16;
/// Elements per word of a share: the steps taken from the front and from the back of a part.
constexpr int64_t kWordElems = 2;

inline bool isKernel(mlir::Operation *op) { return op->hasAttr(kKernelAttr); }

} // namespace convoy::task
