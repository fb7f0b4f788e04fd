// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a step of a scan. Tasks that run concurrently can execute the parts of one phase,
// because a phase reads only what earlier phases stored.

#pragma once

#include "Kernels/Recurrent/ScanKernel.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace convoy::kernels {

/// The values that a phase stores. The first phase also copies the slices of the scanned inputs,
/// the last one also computes the yielded values.
struct StepPhase {
  /// Operands of later products that are not in memory.
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<graph::MatMulOp> products;
};

/// Returns the phases of a step, in order:
///
///     LSTM    h x R, slices of x | yield
///     GRU     h x R, slices of x | r * h | (r * h) x R | yield     # reset before the product
std::vector<StepPhase> phasesOf(const ScanKernel &kernel);

} // namespace convoy::kernels
