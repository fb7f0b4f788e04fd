// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements of a kernel as an attribute of the kernel, so a record can be pasted into a lit
// test.

#pragma once

#include "Layout/Attributes.h"
#include "Layout/Candidates.h"

namespace convoy::layout {

/// Removes kMeasuredAttr from the kernel. Its entries replace the estimates between the same
/// layouts and scale the remaining estimates. Fails with an error at the kernel if an entry does
/// not fit the kernel.
mlir::LogicalResult takeMeasured(graph::KernelOp kernel, std::vector<Candidate> &candidates);

} // namespace convoy::layout
