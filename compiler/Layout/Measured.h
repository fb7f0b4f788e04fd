// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements of a kernel as an attribute of the kernel, so a record can be pasted into a lit
// test.

#pragma once

#include "Layout/Candidates.h"

namespace convoy::layout {

/// An attribute of a kernel before layouts are chosen: an array of dictionaries with `config`
/// (absent for the generic loops), `input` (absent if planar) and `ns`, the nanoseconds of one run.
constexpr llvm::StringLiteral kMeasuredAttr = "layout.measured";

/// Removes the attribute from the kernel. Its entries replace the estimates between the same
/// layouts and scale the remaining estimates. Fails with an error at the kernel if an entry does
/// not fit the kernel.
mlir::LogicalResult takeMeasured(graph::KernelOp kernel, std::vector<Candidate> &candidates);

} // namespace convoy::layout
