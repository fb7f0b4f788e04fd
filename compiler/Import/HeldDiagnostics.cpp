// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics pass through a handler of the context, so holding them needs no change
// in the code that emits them.

#include "Import/HeldDiagnostics.h"

using namespace mlir;

namespace convoy::import {

std::vector<Diagnostic> capture(MLIRContext *context, llvm::function_ref<void()> fn) {
  std::vector<Diagnostic> held;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    held.push_back(std::move(diagnostic));
    return success();
  });
  fn();
  return held;
}

void release(MLIRContext *context, std::vector<Diagnostic> held) {
  for (Diagnostic &diagnostic : held) {
    context->getDiagEngine().emit(std::move(diagnostic));
  }
}

} // namespace convoy::import
