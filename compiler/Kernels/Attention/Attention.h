// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention template: its cost model, its search space and its lowering. Attention.td documents
// the loops.

#pragma once

#include "Kernels/Attention/AttentionProblem.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// Version of the generated code. Increment it when the same configuration generates different
/// code.
inline constexpr int kAttentionVersion = 2;

/// Returns the number of vectors of a result row that a tile of the second product computes at
/// once: as many as leave registers for the operands.
int64_t columnVectors(int64_t rows, int64_t vectors, const Machine &machine);

/// Returns the search space. Its point with the fewest cycles is the default. With strict math, all
/// keys are one chunk, because several chunks round differently and skip excluded keys.
Space attentionSpace(const AttentionProblem &problem, const Machine &machine, bool isStrictMath,
                     mlir::MLIRContext *context);

/// Returns the reason why a configuration does not fit the problem, or an empty string.
std::string whyNotAttention(const AttentionProblem &problem, AttentionAttr config);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerAttention(task::KernelOp kernel, const AttentionProblem &problem,
                                   AttentionAttr config, const Machine &machine);

} // namespace convoy::kernels
