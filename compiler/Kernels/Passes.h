// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage; Passes.td documents each pass.

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
};

/// Creates convoy-kernels-insert-machine for a machine.
std::unique_ptr<mlir::Pass> createInsertMachinePass(const Machine &machine);

/// Registers the instances of convoy-kernels-lower-templates, one per template.
void registerTemplatePasses();

/// Adds the instances of convoy-kernels-lower-templates, one per template, in order.
void addTemplatePasses(mlir::OpPassManager &passes);

/// Returns the memory type of a tensor: one-dimensional, of the storage type. See
/// Loops/Registers.h.
mlir::MemRefType memoryType(mlir::Type tensor);

/// Adds the stage's passes in order.
void addKernelsPasses(mlir::OpPassManager &passes, const KernelsOptions &options);

/// Adds the check of the stage's contract.
void addKernelsContract(mlir::OpPassManager &passes);

} // namespace convoy::kernels

#endif // CONVOY_KERNELS_PASSES_H
