// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage has its own pass manager, so each stage gets its own instrumentation.

#include "check/locate/PassWatcher.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace convoy::check {
namespace {

class Forwarder : public PassInstrumentation {
public:
  explicit Forwarder(const PassWatcher::AfterPass &afterPass) : afterPass(afterPass) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // The adaptor that runs passes over functions has no argument.
    if (!pass->getArgument().empty()) {
      afterPass(pass->getArgument(), op);
    }
  }

private:
  const PassWatcher::AfterPass &afterPass;
};

} // namespace

void PassWatcher::instrument(PassManager &passes) {
  passes.addInstrumentation(std::make_unique<Forwarder>(afterPass));
}

} // namespace convoy::check
