// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages below the reference: which kernel's code is wrong on inputs that
// are right, and which pass made it so. Kernels that are all right alone may
// still be wrong together; then memory is at fault, or main.

#pragma once

#include "check/locate/Fault.h"
#include "check/locate/GraphFault.h"
#include "check/locate/HostLowering.h"
#include "check/rules/OpError.h"

namespace convoy::check {

/// Runs each kernel of @main, and each op with a body, alone on what the
/// reference gives it; the first wrong one is blamed, if any. `module` has been
/// through the stages up to Tasks.
std::optional<Fault> locateKernelFault(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                       StageObserver *observer);

/// Blames a pass for outputs of the whole module that are wrong though each
/// kernel is right.
std::optional<Fault> locateMainFault(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                     StageObserver *observer, IsWrong isWrong);

/// The pass of the lowering after which `module` was wrong; with a note, when
/// only a setting that cures it tells.
struct FirstWrongPass {
  std::string pass, note;
};
FirstWrongPass firstWrongPass(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                              StageObserver *observer, IsWrong isWrong);

/// The op that says what a kernel mainly does: the one that loops, else the last.
mlir::Operation *mainOp(mlir::Operation *kernel);

} // namespace convoy::check
