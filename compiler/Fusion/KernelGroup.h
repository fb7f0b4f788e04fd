// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a group of ops into one graph.kernel. The passes of this stage choose the groups.

#pragma once

#include "Graph/Graph.h"
#include <limits>

namespace convoy::fusion {

/// Creates a kernel with copies of the ops, in front of the last of them, and returns it. The ops
/// are in block order and stay in place. The results are the values of the group that ops outside
/// read, in order. Scalars and operands that define what an op does are copied into the kernel.
/// Returns null if nothing reads the group.
graph::KernelOp createKernel(llvm::ArrayRef<mlir::Operation *> ops);

/// Lets the readers of the ops read the kernel that createKernel returned, and erases the ops.
void replaceByKernel(llvm::ArrayRef<mlir::Operation *> ops, graph::KernelOp kernel);

/// Returns whether all readers outside the group come after its last op, so that a kernel in the
/// place of the last op dominates them, and the operands of the group are defined before it.
bool isReplaceable(llvm::ArrayRef<mlir::Operation *> ops);

/// Returns the reason why the template `id` does not support a kernel of the ops on the machine of
/// the module, or an empty string. The ops stay unchanged.
std::string whyNotFor(llvm::StringRef id, llvm::ArrayRef<mlir::Operation *> ops, bool isStrictMath);

/// The estimated time of a kernel.
struct KernelCycles {
  /// Whether a template supports the kernel.
  bool hasTemplate = false;
  /// The cycles of the fastest candidate on one core; infinite if the ops cannot be one kernel.
  double cycles = std::numeric_limits<double>::infinity();
};

/// Estimates a kernel of the ops on the machine of the module. The ops stay unchanged.
KernelCycles cyclesOf(llvm::ArrayRef<mlir::Operation *> ops);

/// Replaces the ops by a kernel if the template `id` supports the kernel on the machine of the
/// module. Otherwise returns the reason and leaves the ops unchanged.
std::string fuseFor(llvm::StringRef id, llvm::ArrayRef<mlir::Operation *> ops, bool isStrictMath);

} // namespace convoy::fusion
