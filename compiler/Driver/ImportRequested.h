// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the first steps of a compile: imports the model and, if the request has samples,
// calibrates it.

#pragma once

#include "Driver/DiagnosticLog.h"
#include "Driver/ResolveTarget.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convoy::driver {

/// Imports a model for a target. If the request has samples, the function runs the reference
/// on each sample and inserts quantization between the layers. Returns null if a step fails; the
/// problems are in the log.
mlir::OwningOpRef<mlir::ModuleOp> importRequested(const Model &model, const CompileRequest &request,
                                                  const ResolvedTarget &target,
                                                  CompileContext &context);

/// Returns the function that computes the model.
mlir::func::FuncOp mainOf(mlir::ModuleOp module);

/// Returns whether every tensor in the module has a static shape and every sequence and optional
/// has a known form.
bool isStatic(mlir::ModuleOp module);

/// Return the names of the function's arguments and results in the ONNX file.
std::vector<std::string> argumentNames(mlir::func::FuncOp main);
std::vector<std::string> resultNames(mlir::func::FuncOp main);

} // namespace convoy::driver
