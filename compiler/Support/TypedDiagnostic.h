// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR diagnostics with the kind of problem that they report. An MLIR diagnostic has a severity,
// a location and a text; the kind is metadata of a fused location around the location of the op.
// A diagnostic without the metadata is an error of the user.

#pragma once

#include "Support/TypedError.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace convoy {

/// Emits an error about something that the compiler does not support. The text says so.
mlir::InFlightDiagnostic emitUnsupported(mlir::Location loc);
/// Emits an error about a bug in Convoy. The text says so.
mlir::InFlightDiagnostic emitBug(mlir::Location loc);

/// These begin with the op, as mlir::Operation::emitOpError does.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op, const llvm::Twine &text = {});
mlir::InFlightDiagnostic emitBug(mlir::Operation *op, const llvm::Twine &text = {});

/// Emits an error of a given kind; the kind must not be Warning.
mlir::InFlightDiagnostic emitErrorOfKind(mlir::Location loc, ProblemKind kind);
/// Emits an error with its kind and text.
mlir::InFlightDiagnostic emitError(mlir::Location loc, llvm::Error error);
/// Emits an error with its kind and text. Begins with the op.
mlir::InFlightDiagnostic emitOpError(mlir::Operation *op, llvm::Error error);

/// Returns Warning for a warning or remark, else the kind that the error was emitted with.
ProblemKind kindOf(const mlir::Diagnostic &diagnostic);

} // namespace convoy
