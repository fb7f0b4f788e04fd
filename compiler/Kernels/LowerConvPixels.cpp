// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-conv-pixels: lowers kernels whose configuration is conv_pixels.
// ConvPixels/ holds the template.

#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERCONVPIXELSPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerConvPixels : impl::LowerConvPixelsPassBase<LowerConvPixels> {
  using LowerConvPixelsPassBase::LowerConvPixelsPassBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<ConvPixelsAttr>(task::kConfigAttr);
      if (config && failed(lowerConvPixels(function, config, vectorBytes))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
