// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppresses diagnostics and records whether there was an error.

#include "tests/fuzz/Silence.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <memory>

using namespace mlir;

// Debian's libMLIR is not instrumented, so ASan reports containers and bump allocators that libMLIR
// and Convoy both fill. A too large allocation returns null, as it does without ASan.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1";
}

extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }

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

void reportFinding(const Twine &what) {
  llvm::errs() << "FINDING: " << what << "\n";
  std::abort();
}

} // namespace convoy::fuzz
