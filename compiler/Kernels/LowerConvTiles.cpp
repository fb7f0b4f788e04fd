// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-conv-tiles: lowers kernels whose configuration is conv_tiles.
// ConvTiles/ holds the template.

#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERCONVTILESPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerConvTiles : impl::LowerConvTilesPassBase<LowerConvTiles> {
  using LowerConvTilesPassBase::LowerConvTilesPassBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<ConvTilesAttr>(task::kConfigAttr);
      if (config && failed(lowerConvTiles(function, config, vectorBytes))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
