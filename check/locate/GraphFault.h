// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages that the reference can follow: which of their passes changed what a
// model computes, and where.

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

/// Whether outputs are too far from the expected ones.
using IsWrong = llvm::function_ref<bool(llvm::ArrayRef<Datum>)>;

/// The stages up to Tasks on the imported `module`, in place. After each pass the
/// reference runs @main on `inputs`; the first pass after which its outputs are
/// wrong is blamed, if any.
std::optional<Fault> locateGraphFault(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs,
                                      const StageOptions &options, StageObserver *planted,
                                      IsWrong isWrong);

/// Runs the stages up to Tasks in place; `observer` may be null.
mlir::LogicalResult runGraphStages(mlir::ModuleOp module, const StageOptions &options,
                                   StageObserver *observer);

} // namespace convoy::check
