// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reasons why templates cannot run a kernel. convoy-layout-insert-reasons records them for
// `convoy explain`; a compile does not compute them.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Machine.h"
#include "convoy/report.h"
#include <vector>

namespace convoy::layout {

/// Returns the reason of each template that cannot run the kernel, in the order of the table. The
/// kernel is planar: ChooseLayouts.cpp has not run yet.
std::vector<TemplateRefusal> refusalsOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                        bool isStrictMath);

} // namespace convoy::layout
