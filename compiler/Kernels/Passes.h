// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage; Passes.td says what each takes and gives.

#ifndef CONVOY_KERNELS_PASSES_H
#define CONVOY_KERNELS_PASSES_H

#include "Kernels/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
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
  /// Vector register width of the target.
  int64_t vectorBytes = 32;
  /// How the target sums products of integers.
  DotForm dot = DotForm::None;
};

/// Memory of a tensor: flat, of the storage type. See Loops/Registers.h.
mlir::MemRefType memoryType(mlir::Type tensor);

/// Adds the stage's passes in order.
void addKernelsPasses(mlir::OpPassManager &passes, const KernelsOptions &options);

/// Adds the check of what the stage promises to those after it.
void addKernelsContract(mlir::OpPassManager &passes);

} // namespace convoy::kernels

#endif // CONVOY_KERNELS_PASSES_H
