// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-conv-dot: lowers kernels whose configuration is conv_dot.
// ConvDot/ holds the template.

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/DotProduct.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERCONVDOTPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerConvDot : impl::LowerConvDotPassBase<LowerConvDot> {
  using LowerConvDotPassBase::LowerConvDotPassBase;

  void runOnOperation() override {
    std::optional<DotForm> form = dotFormOf(dot);
    if (!form) {
      getOperation().emitError("expects the option 'dot' to be none, pairs or bytes, got ") << dot;
      return signalPassFailure();
    }
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<ConvDotAttr>(task::kConfigAttr);
      if (config && failed(lowerConvDot(function, config, vectorBytes, *form))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
