// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of a kernel, as an attribute of it: a record is IR that can be
// pasted into a test.

#pragma once

#include "Layout/Candidates.h"

namespace convoy::layout {

/// On a kernel before this stage: an array of dictionaries `config` (absent for the
/// generic loops), `input` (absent when planar) and `ns` of one run.
constexpr llvm::StringLiteral kMeasuredAttr = "layout.measured";

/// Takes the attribute away and lets its entries stand in for the estimates between the
/// same layouts. Other estimates are scaled as the measured ones turned out. Fails, with
/// an error at the kernel, when an entry does not fit it.
mlir::LogicalResult takeMeasured(graph::KernelOp kernel, std::vector<Candidate> &candidates);

} // namespace convoy::layout
