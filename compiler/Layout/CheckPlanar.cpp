// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses layout encodings.

#include "Graph/Graph.h"
#include "Layout/Passes.h"

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_CHECKPLANARPASS
#include "Layout/Passes.h.inc"

static bool hasEncoding(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.getEncoding();
}

namespace {
struct CheckPlanar : impl::CheckPlanarPassBase<CheckPlanar> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      for (Type type : op->getResultTypes()) {
        if (hasEncoding(type)) {
          op->emitOpError("has a result with a layout encoding, ")
              << type << "; later stages take tensors as planar";
          signalPassFailure();
        }
      }
    });
  }
};
} // namespace
} // namespace convoy::layout
