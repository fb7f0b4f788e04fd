// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits a run of ops that exchange tensors in local memory. The run loads values from outside,
// stores values that are used outside, and keeps all other values in the lanes.

#pragma once

#include "Accelerators/BM1880/Layers.h"

namespace convoy::bm1880 {

/// Returns whether an op has a kernel of local memory.
bool isLocalOp(mlir::Operation *op);

/// Returns the instructions of a run of local ops, in order, or nothing if the tensors do not fit
/// in the lanes. `isNeeded` returns whether a value is read outside of the run.
std::optional<std::vector<Instruction>> emitLocalRun(llvm::ArrayRef<mlir::Operation *> ops,
                                                     llvm::function_ref<int64_t(mlir::Value)> at,
                                                     llvm::function_ref<bool(mlir::Value)> isNeeded,
                                                     WeightMemory &weights);

} // namespace convoy::bm1880
