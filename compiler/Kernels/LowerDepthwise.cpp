// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-depthwise: lowers kernels whose configuration is depthwise.
// Depthwise/ holds the template.

#include "Kernels/Depthwise/Depthwise.h"
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
#define GEN_PASS_DEF_LOWERDEPTHWISEPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerDepthwise : impl::LowerDepthwisePassBase<LowerDepthwise> {
  using LowerDepthwisePassBase::LowerDepthwisePassBase;

  void runOnOperation() override {
    std::optional<DotForm> form = dotFormOf(dot);
    if (!form) {
      getOperation().emitError("expects the option 'dot' to be none, pairs or bytes, got ") << dot;
      return signalPassFailure();
    }
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<DepthwiseAttr>(task::kConfigAttr);
      if (config && failed(lowerDepthwise(function, config, vectorBytes, *form))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
