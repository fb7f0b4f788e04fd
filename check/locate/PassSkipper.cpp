// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers an action handler of the context, which MLIR asks to execute each pass.

#include "check/locate/PassSkipper.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::check {

PassSkipper::PassSkipper(MLIRContext *context, llvm::StringSet<> skipped)
    : context(context), names(std::move(skipped)) {
  names.erase("");
  context->registerActionHandler(
      [this](llvm::function_ref<void()> transform, const tracing::Action &action) {
        const auto *execution = dyn_cast<PassExecutionAction>(&action);
        if (!execution || !names.contains(execution->getPass().getArgument())) {
          transform();
        }
      });
}

PassSkipper::~PassSkipper() { context->registerActionHandler(nullptr); }

} // namespace convoy::check
