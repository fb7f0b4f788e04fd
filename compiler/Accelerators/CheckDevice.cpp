// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks every op of a convcore function against a device.

#include "Accelerators/Passes.h"
#include "Accelerators/Registry.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::accelerators {
#define GEN_PASS_DEF_CHECKDEVICEPASS
#include "Accelerators/Passes.h.inc"

namespace {

struct CheckDevice : impl::CheckDevicePassBase<CheckDevice> {
  using CheckDevicePassBase::CheckDevicePassBase;

  void runOnOperation() override {
    std::unique_ptr<Accelerator> found = requireAccelerator(getOperation(), device);
    if (!found) {
      return signalPassFailure();
    }
    for (Operation &op : getOperation().getBody().front().without_terminator()) {
      if (std::optional<Refusal> refusal = whyNot(*found, &op)) {
        emitUnsupported(&op, "not supported by '") << device << "': " << refusal->reason;
        signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace convoy::accelerators
