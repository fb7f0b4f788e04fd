// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage; Passes.td says what each takes and gives.

#ifndef CONVOY_KERNELS_PASSES_H
#define CONVOY_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Kernels/Passes.h.inc"

struct KernelsOptions {
  /// The target has a fused multiply-add instruction.
  bool fuseMultiplyAdd = true;
};

/// Adds the stage's passes in order.
void addKernelsPasses(mlir::OpPassManager &passes, const KernelsOptions &options);

/// Adds the check of what the stage promises to those after it.
void addKernelsContract(mlir::OpPassManager &passes);

} // namespace convoy::kernels

#endif // CONVOY_KERNELS_PASSES_H
