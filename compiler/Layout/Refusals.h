// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reasons why templates cannot run a kernel. `convoy explain` prints them for kernels that run
// as generic loops; a compile does not compute them.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Machine.h"
#include <string>
#include <vector>

namespace convoy::layout {

/// A template, identified by the mnemonic of its configuration attribute, and why it cannot run a
/// kernel.
struct Refusal {
  std::string templateId;
  std::string reason;
};

/// Returns the reason of each template that cannot run the kernel, in the order of the table. The
/// kernel is planar: ChooseLayouts.cpp has not run yet.
std::vector<Refusal> refusalsOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                bool isStrictMath);

} // namespace convoy::layout
