// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-winograd: lowers kernels whose configuration is winograd.
// Winograd/ holds the template.

#include "Kernels/Passes.h"
#include "Kernels/Winograd/Winograd.h"
#include "Task/Task.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERWINOGRADPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerWinograd : impl::LowerWinogradPassBase<LowerWinograd> {
  using LowerWinogradPassBase::LowerWinogradPassBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto config = function->getAttrOfType<WinogradAttr>(task::kConfigAttr);
      if (config && failed(lowerWinograd(function, config, vectorBytes))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
