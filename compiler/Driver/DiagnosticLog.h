// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what the compiler reports while it works, so that every problem is told at
// once and in one form.

#pragma once

#include "Driver/AddProblem.h"
#include "convoy/result.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <string>

namespace convoy::driver {

/// Diagnostics of a context become problems until this object ends.
class DiagnosticLog {
public:
  explicit DiagnosticLog(mlir::MLIRContext *context);

  /// Adds an error from outside MLIR: files, requests.
  void add(llvm::Error error) { convoy::addError(list, std::move(error)); }
  void addError(const llvm::Twine &text) { convoy::addError(list, text); }

  Problems &problems() { return list; }
  bool hasErrors() const { return list.hasErrors(); }
  std::string firstError() const { return list.firstError(); }

private:
  Problems list;
  mlir::ScopedDiagnosticHandler handler;
};

/// A context with its log: what one model is compiled in.
struct CompileContext {
  CompileContext();

  mlir::MLIRContext mlir;
  DiagnosticLog log;
};

/// A diagnostic as one line: the node of its location, then its text.
std::string describe(mlir::Diagnostic &diagnostic);

} // namespace convoy::driver
