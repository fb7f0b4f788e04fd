// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers every kernel that no other template has taken by the generic loop
// template. The template itself is in Loops/; KernelFunction.h is the function
// around it.

#include "Graph/Graph.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Passes.h"
#include "Tasks/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERLOOPSPASS
#include "Kernels/Passes.h.inc"

static void lowerKernel(func::FuncOp kernel, int64_t vectorBytes) {
  KernelFunction function(kernel);
  KernelEmitter emitter(function.b, vectorBytes);
  function.bindOperands(emitter);
  // Results are bound under the values returned, by position: the same value may
  // be returned twice.
  emitter.emitKernel(function.body(), function.resultMemory(), function.begin(), function.end());
  // Rows of blocks are one loop.
  if (emitter.blockedRows > 0 && emitter.range % emitter.blockedRows == 0) {
    function.setRows(emitter.range / emitter.blockedRows, task::evenChunks(emitter.blockedRows, 1));
  }
  function.finish(emitter.range);
}

namespace {
struct LowerLoops : impl::LowerLoopsPassBase<LowerLoops> {
  using LowerLoopsPassBase::LowerLoopsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (task::isKernel(function) && !function->hasAttr(task::kRangeAttr)) {
        kernels.push_back(function);
      }
    }
    for (func::FuncOp kernel : kernels) {
      lowerKernel(kernel, vectorBytes);
    }
  }
};
} // namespace
} // namespace convoy::kernels
