// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first steps of a compile: the imported module, calibrated where the request asks
// for it.

#pragma once

#include "Driver/DiagnosticLog.h"
#include "Driver/ResolveTarget.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convoy::driver {

/// Imports a model for a target. With samples it runs the graph stage and the reference
/// on each of them, and puts quantisation between the layers. Null after problems, which
/// are in the log.
mlir::OwningOpRef<mlir::ModuleOp> importRequested(const Model &model, const CompileRequest &request,
                                                  const ResolvedTarget &target,
                                                  CompileContext &context);

/// The function that computes the model.
mlir::func::FuncOp mainOf(mlir::ModuleOp module);

/// Whether every tensor in the module has a static shape.
bool isStatic(mlir::ModuleOp module);

/// The names of its arguments and results, as in the ONNX file.
std::vector<std::string> argumentNames(mlir::func::FuncOp main);
std::vector<std::string> resultNames(mlir::func::FuncOp main);

} // namespace convoy::driver
