// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers of a region as the device receives them.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::accelerators {

/// Returns the kernels of a module that run on a device and have no program yet.
llvm::SmallVector<graph::KernelOp> regionsOf(mlir::ModuleOp module);

/// Lowers the region of a kernel to a function of convcore ops at the end of the module and runs
/// the rewrites that all devices share. Emits an error if an op cannot be lowered.
mlir::FailureOr<mlir::func::FuncOp> layersOf(graph::KernelOp kernel, mlir::ModuleOp module,
                                             const Accelerator &device);

} // namespace convoy::accelerators
