// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what the compiler reports while a tool works, so that a tool prints
// every problem at once, in one form, and picks its exit code from all of them.

#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::driver {

/// Exit codes of all tools.
enum ExitCode { kDone = 0, kUserError = 1, kUnsupported = 2, kBug = 3 };

struct Problem {
  mlir::DiagnosticSeverity severity;
  std::string text; // with the node: "node 'conv1' (Conv): expects ..."
  std::vector<std::string> notes;

  bool isError() const { return severity == mlir::DiagnosticSeverity::Error; }
  /// Whether the text says that we cannot do it yet, rather than that it is wrong.
  bool isUnsupported() const;
};

class DiagnosticLog {
public:
  /// Diagnostics of `context` come here until this object ends.
  explicit DiagnosticLog(mlir::MLIRContext *context);

  /// Adds an error from outside MLIR: files, flags.
  void add(llvm::Error error);
  void addError(const llvm::Twine &text);
  /// Adds what another log holds and this one does not.
  void append(const DiagnosticLog &other);

  llvm::ArrayRef<Problem> problems() const { return list; }
  size_t errorCount() const;
  bool hasErrors() const { return errorCount() > 0; }
  /// The text of the first error, or empty.
  std::string firstError() const;

  /// 0 without errors; 2 when every error is "not supported: ..."; else 1.
  ExitCode exitCode() const;

  /// The code for something that failed. Without an error it did so silently,
  /// which is a bug of ours: says so on `os`.
  ExitCode failureCode(llvm::raw_ostream &os) const;

  /// Forgets everything, for a second attempt.
  void clear() { list.clear(); }

  /// Prints errors and warnings, one line each, notes below.
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<Problem> list;
  mlir::ScopedDiagnosticHandler handler;
};

/// A diagnostic as one line: the node of its location, then its text.
std::string describe(mlir::Diagnostic &diagnostic);

} // namespace convoy::driver
