// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Swallows diagnostics and remembers whether there was an error.

#include "tests/fuzz/Silence.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <memory>

using namespace mlir;

// Debian's libMLIR is not instrumented: containers and bump allocators that it and
// we fill by turns look poisoned where they are not. A null pointer for too large
// a request is what the reference would get outside of ASan too.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1";
}

extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }

namespace convoy::fuzz {

Silence::Silence(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        // Printed in any case: a type that cannot be would fail only for users.
        std::string text = diagnostic.str();
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          last = text.empty() ? "an error without words" : text;
        }
        return success();
      }) {}

void Silence::expectError(StringRef failed) {
  if (last.empty()) {
    reportFinding(failed + " failed without a word");
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
