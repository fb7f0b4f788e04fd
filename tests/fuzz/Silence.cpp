// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppresses diagnostics and records whether there was an error.

#include "tests/fuzz/Silence.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>

using namespace mlir;

namespace convoy::fuzz {

Silence::Silence(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        // Formats the text even if it is unused, so that a type that cannot be printed is found.
        std::string text = diagnostic.str();
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          last = text.empty() ? "an error without text" : text;
        }
        return success();
      }) {}

void Silence::expectError(StringRef failed) {
  if (last.empty()) {
    reportFinding(failed + " failed without an error");
  }
  last.clear();
}

MLIRContext *sharedContext() {
  constexpr int kInputsPerContext = 256;
  static std::unique_ptr<MLIRContext> context;
  static int inputs = 0;
  if (inputs++ % kInputsPerContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  }
  return context.get();
}

} // namespace convoy::fuzz
