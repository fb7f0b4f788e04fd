// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-conv-direct: lowers kernels whose configuration is conv_direct.
// ConvDirect/ holds the template.

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERCONVDIRECTPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerConvDirect : impl::LowerConvDirectPassBase<LowerConvDirect> {
  using LowerConvDirectPassBase::LowerConvDirectPassBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<ConvDirectAttr>(task::kConfigAttr);
      if (config && failed(lowerConvDirect(function, config, vectorBytes))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
