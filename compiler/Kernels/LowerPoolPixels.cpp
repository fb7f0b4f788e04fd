// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-pool-pixels: lowers kernels whose configuration is pool_pixels.
// PoolPixels/ holds the template.

#include "Kernels/Passes.h"
#include "Kernels/PoolPixels/PoolPixels.h"
#include "Task/Task.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERPOOLPIXELSPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerPoolPixels : impl::LowerPoolPixelsPassBase<LowerPoolPixels> {
  using LowerPoolPixelsPassBase::LowerPoolPixelsPassBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<PoolPixelsAttr>(task::kConfigAttr);
      if (config && failed(lowerPoolPixels(function, config, vectorBytes))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
