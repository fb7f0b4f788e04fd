// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a lowered kernel, and their cycles on a core whose description has a table of
// cycles. The reports of stages and `convoy bench` use both.

#pragma once

#include "Targets/Target.h"
#include "Task/Task.h"
#include "convoy/report.h"

namespace convoy {

/// Returns the operations of a lowered kernel.
KernelWork workOf(task::KernelOp kernel);

/// Estimates the cycles of a kernel from the cycles of single instructions.
double estimateCycles(const KernelWork &work, double multiplyAdds,
                      const targets::InstructionCycles &cycles);

} // namespace convoy
