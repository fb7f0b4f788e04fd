// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a bug that a test injects after a pass. The bug breaks the first matching op in program
// order. The IR stays valid, except after the bugs of the reproducer tests. The plug-in refers to
// Convoy's dialects only by name, so it links only to MLIR.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::injected {

struct Bug {
  llvm::StringLiteral pass;    // name of the plug-in's pass
  llvm::StringLiteral summary; // effect of the bug
  void (*inject)(mlir::Operation *);
};

/// Returns the bugs in graphs, before kernels become functions.
llvm::ArrayRef<Bug> graphBugs();

/// Returns the bugs in the jobs of a device.
llvm::ArrayRef<Bug> deviceBugs();

/// Returns the bugs in loops, memory and LLVM code.
llvm::ArrayRef<Bug> loweringBugs();

} // namespace convoy::injected
