// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers every kernel without a template configuration with the generic loops, the fallback
// template. Loops/ holds the template; KernelFunction.h declares the function.

#include "Graph/Graph.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERLOOPSPASS
#include "Kernels/Passes.h.inc"

/// Returns the number of rows of the kernel's single result if the range runs over rows, fastest,
/// for each channel block, as KernelEmitter does for blocked results. Returns 0 otherwise.
static int64_t blockedRows(Block &body) {
  Operation *yield = body.getTerminator();
  Value value = yield->getNumOperands() == 1 ? yield->getOperand(0) : Value();
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type || type.getRank() != 4 || graph::channelBlock(type) == 0) {
    return 0;
  }
  Operation *root = value.getDefiningOp();
  const EmitterRow *row = root ? emitterTable().find(root) : nullptr;
  return row && row->whole ? 0 : type.getDimSize(2);
}

static void lowerKernel(func::FuncOp kernel, int64_t vectorBytes) {
  KernelFunction function(kernel);
  KernelEmitter emitter(function.b, vectorBytes);
  function.bindOperands(emitter);
  // The emitter binds results by position, because a kernel may return the same value twice.
  emitter.emitKernel(function.body(), function.resultMemory(), function.begin(), function.end());
  int64_t rows = blockedRows(function.body());
  if (rows > 0 && emitter.range % rows == 0) {
    function.setRows(emitter.range / rows, task::evenChunks(rows, 1));
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
