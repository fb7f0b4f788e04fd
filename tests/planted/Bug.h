// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bug that a test plants after a pass: it breaks the first op it finds in program
// order. The IR stays valid, except after the bugs of the reproducer tests. The plug-in sees our
// dialects only by name, so it links to nothing but MLIR.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::planted {

struct Bug {
  llvm::StringLiteral pass;    // name of the plug-in's pass
  llvm::StringLiteral summary; // what it breaks
  void (*plant)(mlir::Operation *);
};

/// Bugs in graphs: before kernels become functions.
llvm::ArrayRef<Bug> graphBugs();

/// Bugs in loops, memory and LLVM code.
llvm::ArrayRef<Bug> loweringBugs();

} // namespace convoy::planted
