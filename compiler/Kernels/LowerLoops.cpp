// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-lower-loops: lowers every remaining kernel with the fallback template.
// Loops/ holds the template.

#include "Kernels/KernelTemplate.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERLOOPSPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerLoops : impl::LowerLoopsPassBase<LowerLoops> {
  void runOnOperation() override {
    Machine machine = machineOf(getOperation());
    for (task::KernelOp kernel : llvm::to_vector(getOperation().getOps<task::KernelOp>())) {
      if (!kernel.isLowered() && failed(fallbackTemplate().lower(kernel, {}, machine))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace convoy::kernels
