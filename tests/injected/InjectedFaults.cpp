// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the plug-in with one pass per injected bug.

#include "Bug.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace convoy::injected {
namespace {

class BugPass : public PassWrapper<BugPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BugPass)

  explicit BugPass(const Bug &bug) : bug(bug) {}

  StringRef getArgument() const override { return bug.pass; }
  StringRef getDescription() const override { return bug.summary; }
  void runOnOperation() override { bug.inject(getOperation()); }

private:
  Bug bug;
};

void registerBugs() {
  for (ArrayRef<Bug> bugs : {graphBugs(), deviceBugs(), loweringBugs()}) {
    for (const Bug &bug : bugs) {
      registerPass([bug] { return std::make_unique<BugPass>(bug); });
    }
  }
}

} // namespace
} // namespace convoy::injected

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "convoy_injected_faults", "1", convoy::injected::registerBugs};
}
