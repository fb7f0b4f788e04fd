// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage owns its instrumentation, so each stage gets one that calls the same function.

#include "check/locate/PassWatcher.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace convoy::check {
namespace {

class Forwarder : public PassInstrumentation {
public:
  explicit Forwarder(const PassWatcher::AfterPass &afterPass) : afterPass(afterPass) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // Without a name: the adaptor that holds passes over functions.
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
