// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates faults in the stages whose IR the reference can run: the first pass that changed the
// computed values, and the first wrong op after it.

#pragma once

#include "Driver/ImportRequested.h"
#include "Pipeline/RunStages.h"
#include "check/locate/Fault.h"
#include "check/rules/OpError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace convoy::check {

using driver::mainOf;

/// Returns whether outputs differ too much from the expected outputs.
using IsWrong = llvm::function_ref<bool(llvm::ArrayRef<Datum>)>;

/// Runs the stages before Tasks on the imported `module`, in place. After each pass, the
/// reference runs @main on `inputs`. Returns the first pass after which the outputs are wrong,
/// if there is one.
std::optional<Fault> locateGraphFault(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                      const StageOptions &options, StageObserver *injected,
                                      IsWrong isWrong);

/// Runs the stages before Tasks in place; `observer` may be null.
mlir::LogicalResult runGraphStages(mlir::ModuleOp module, const StageOptions &options,
                                   StageObserver *observer);

} // namespace convoy::check
