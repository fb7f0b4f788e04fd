// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a module on a target as `convoy run` does: emitted C through the C compiler of this machine,
// libraries of other machines through their emulator.

#pragma once

#include "Driver/ResolveTarget.h"
#include "Support/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::test {

/// Returns the target with this name: "c", "c-plain" or a machine. The error says why this machine
/// cannot run code for the target.
llvm::Expected<driver::ResolvedTarget> findRunnable(llvm::StringRef name);

/// Compiles a copy of the module with all stage contracts checked and runs it. Float layers stay
/// float layers. Returns the problem, or an empty string. Set `isStrictMath` if infinities or NaN
/// may appear.
std::string runOnTarget(const driver::ResolvedTarget &target, mlir::ModuleOp module,
                        llvm::ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs,
                        bool isStrictMath);

} // namespace convoy::test
