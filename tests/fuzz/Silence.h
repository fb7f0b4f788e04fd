// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swallows diagnostics and remembers whether there was an error: a failure
// without one is a finding, since the user would see nothing.

#pragma once

#include "mlir/IR/Diagnostics.h"

namespace convoy::fuzz {

class Silence {
public:
  explicit Silence(mlir::MLIRContext *context);
  /// Ends the process, as a sanitizer would, unless an error has been emitted
  /// since the last call.
  void expectError(llvm::StringRef failed);
  /// The error emitted last; empty when there was none.
  const std::string &lastError() const { return last; }

private:
  std::string last;
  mlir::ScopedDiagnosticHandler handler;
};

/// A context, which many inputs share: to make one takes ten times as long as to
/// import a small model. Every so often a new one sets free what has been uniqued.
mlir::MLIRContext *sharedContext();

/// Reports a broken promise of the compiler as a finding.
[[noreturn]] void reportFinding(const llvm::Twine &what);

} // namespace convoy::fuzz
