// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of ops that exchange tensors in local memory: what comes from outside is
// loaded, what goes outside is stored, the rest never leaves the lanes.

#pragma once

#include "Accelerators/BM1880/Layers.h"

namespace convoy::bm1880 {

/// Whether an op has a kernel of local memory.
bool isLocalOp(mlir::Operation *op);

/// The instructions of a run of such ops, in order; nothing when its tensors do not fit
/// into the lanes. `isNeeded` says whether a value is read outside of the run.
std::optional<std::vector<Instruction>> emitLocalRun(llvm::ArrayRef<mlir::Operation *> ops,
                                                     llvm::function_ref<int64_t(mlir::Value)> at,
                                                     llvm::function_ref<bool(mlir::Value)> isNeeded,
                                                     WeightMemory &weights);

} // namespace convoy::bm1880
