// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates faults below the stages that the reference can run: the kernel whose code is wrong
// on right inputs, and the first wrong pass. If every kernel is right alone but the outputs
// are wrong, the memory plan or @main is wrong.

#pragma once

#include "check/locate/Fault.h"
#include "check/locate/GraphFault.h"
#include "check/locate/HostLowering.h"
#include "check/rules/OpError.h"

namespace convoy::check {

/// Runs each kernel of @main, and each op with a body, alone on the inputs that the reference
/// computes. Returns the first wrong kernel or op, if there is one. `module` is the result of
/// runGraphStages().
std::optional<Fault> locateKernelFault(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                       StageObserver *observer);

/// Locates the wrong pass when the outputs of the module are wrong although each kernel is
/// right alone.
std::optional<Fault> locateMainFault(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                     StageObserver *observer, IsWrong isWrong);

/// The first pass of the lowering after which the outputs of a module are wrong. The note
/// names the setting that makes the outputs right, if the pass was found by changing a
/// setting.
struct FirstWrongPass {
  std::string pass, note;
};
FirstWrongPass firstWrongPass(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                              StageObserver *observer, IsWrong isWrong);

/// Returns the op that represents a kernel in messages: the heavy op or the reduction, else
/// the last op.
mlir::Operation *mainOp(mlir::Operation *kernel);

} // namespace convoy::check
