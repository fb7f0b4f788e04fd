// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the diagnostics of a compile as problems. The tools print all problems of a
// compile together and in one form.

#pragma once

#include "Driver/AddProblem.h"
#include "convoy/result.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <string>

namespace convoy::driver {

/// Turns the diagnostics of a context into problems as long as this object lives.
class DiagnosticLog {
public:
  explicit DiagnosticLog(mlir::MLIRContext *context);

  /// Adds an error that is not an MLIR diagnostic, such as an unreadable file.
  void add(llvm::Error error) { convoy::addError(list, std::move(error)); }
  void addError(const llvm::Twine &text) { convoy::addError(list, text); }
  void addBug(const llvm::Twine &text) { list.addError(text.str(), ProblemKind::Bug); }

  Problems &problems() { return list; }
  bool hasErrors() const { return list.hasErrors(); }
  std::string firstError() const { return list.firstError(); }

private:
  Problems list;
  mlir::ScopedDiagnosticHandler handler;
};

/// The MLIR context of one compile, with its log.
struct CompileContext {
  CompileContext();

  mlir::MLIRContext mlir;
  DiagnosticLog log;
};

} // namespace convoy::driver
