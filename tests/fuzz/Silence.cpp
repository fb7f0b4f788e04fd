// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swallows diagnostics and remembers whether there was an error.

#include "tests/fuzz/Silence.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <memory>

using namespace mlir;

namespace convoy::fuzz {

Silence::Silence(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        // A location or a type that cannot be printed would fail only for users.
        (void)diagnostic.str();
        return success();
      }) {}

void Silence::expectError(StringRef failed) {
  if (!hasError) {
    reportFinding(failed + " failed without a word");
  }
  hasError = false;
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

void reportFinding(const Twine &what) {
  llvm::errs() << "FINDING: " << what << "\n";
  std::abort();
}

} // namespace convoy::fuzz
