// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages below the reference: which kernel's code is wrong on inputs that
// are right, and which pass made it so. Kernels that are all right alone may
// still be wrong together; then memory is at fault, or main.

#pragma once

#include "check/blame/Blame.h"
#include "check/blame/GraphBlame.h"
#include "check/blame/HostLowering.h"
#include "check/rules/Closeness.h"

namespace convoy::check {

/// Runs each kernel of @main, and each op with a body, alone on what the
/// reference gives it; the first wrong one is blamed, if any. `module` has been
/// through the stages up to Tasks.
std::optional<Blame> blameKernel(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                 StageObserver *observer);

/// Blames a pass for outputs of the whole module that are wrong though each
/// kernel is right.
std::optional<Blame> blameMain(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                               StageObserver *observer, IsWrong isWrong);

/// The pass of the lowering after which `module` was wrong; with a note, when
/// only a setting that cures it tells.
struct GuiltyPass {
  std::string pass, note;
};
GuiltyPass guiltyPass(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs, StageObserver *observer,
                      IsWrong isWrong);

/// The op that says what a kernel mainly does: the one that loops, else the last.
mlir::Operation *mainOp(mlir::Operation *kernel);

} // namespace convoy::check
