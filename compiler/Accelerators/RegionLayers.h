// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers of a region as its device gets them.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Graph/Graph.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::accelerators {

/// The kernels of a module that a device runs and that have no program yet.
llvm::SmallVector<graph::KernelOp> regionsOf(mlir::ModuleOp module);

/// The region of a kernel as a function of convcore ops, at the end of the module, after
/// the rewrites that all devices share. Emits an error where an op has no form.
mlir::FailureOr<mlir::func::FuncOp> layersOf(graph::KernelOp kernel, mlir::ModuleOp module,
                                             const Accelerator &device);

} // namespace convoy::accelerators
