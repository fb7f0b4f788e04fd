// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppresses diagnostics and records whether there was an error. A failure without an error is a
// finding, because the user would see no message.

#pragma once

#include "mlir/IR/Diagnostics.h"
#include "tests/fuzz/Finding.h"

namespace convoy::fuzz {

class Silence {
public:
  explicit Silence(mlir::MLIRContext *context);
  /// Ends the process, as a sanitizer does, unless an error has been emitted since the last call.
  void expectError(llvm::StringRef failed);
  /// Returns the last error; empty if there was none.
  const std::string &lastError() const { return last; }

private:
  std::string last;
  mlir::ScopedDiagnosticHandler handler;
};

/// Returns a context that many inputs share, because creating one takes ten times as long as
/// importing a small model. A new context replaces it at intervals to free uniqued attributes and
/// types.
mlir::MLIRContext *sharedContext();

} // namespace convoy::fuzz
